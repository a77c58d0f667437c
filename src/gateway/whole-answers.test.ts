import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../model/test-loopback.ts';
import { eventsIn, PATHS, requestFor, type TestedWire, understood } from './test-answer.ts';
import { type Answered, ask, startTestGateway } from './test-gateway.ts';

type Body = Readonly<Record<string, unknown>>;

/** Returns the answer of a gateway whose server sends a whole body. */
async function askFor(server: TestedWire, body: object, client: TestedWire = server, fields = {}): Promise<Answered> {
  const { url: upstream } = await startServer((response) => sendJson(response, 200, body));
  const { url } = await startTestGateway(upstream, { wire: server });
  return ask(`${url}${PATHS[client]}`, requestFor(client, fields));
}

function completion(message: object, finish = 'stop', fields: object = {}): Body {
  const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: finish, ...fields };
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 5, model: 'real-model', choices: [choice] };
}

const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } };
const WAYS = [
  { client: 'chat', stream: false },
  { client: 'chat', stream: true },
  { client: 'responses', stream: false },
  { client: 'responses', stream: true },
] as const;

/** Fields that no repair touches. */
const EXTRAS = {
  message: {
    refusal: null,
    annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.com', start_index: 0, end_index: 2 } }],
    reasoning: 'The city is Ulm.',
    reasoning_details: [
      { type: 'reasoning.text', text: 'The city is Ulm.', signature: 'c2ln', index: 0 },
      { type: 'reasoning.encrypted', data: 'c2VhbGVk', index: 1 },
    ],
  },
  choice: { logprobs: { content: [{ token: 'Hi', logprob: -0.1 }] }, native_finish_reason: 'STOP' },
  body: {
    provider: 'Somewhere',
    citations: ['https://example.com'],
    system_fingerprint: null,
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, cost: 0.25 },
  },
};

describe('a whole answer of the same wire that needs a repair', () => {
  test('keeps all fields that the repair does not touch', async () => {
    const message = {
      role: 'assistant',
      content: 'Hi',
      ...EXTRAS.message,
      tool_calls: [{ ...CALL, extra_content: 7 }],
    };
    const first = { index: 0, message, finish_reason: 'stop', ...EXTRAS.choice };
    const second = { index: 1, message: { role: 'assistant', content: 'Ho', refusal: null }, finish_reason: 'stop' };
    const body = { id: 'c', object: 'chat.completion', ...EXTRAS.body, choices: [first, second] };
    const answered = await askFor('chat', body);
    expect(answered.headers['x-oxbow-repairs']).toBe('A1');
    expect(JSON.parse(answered.text)).toEqual({
      ...body,
      choices: [{ ...first, finish_reason: 'tool_calls' }, second],
    });
  });

  test('changes each choice on its own', async () => {
    const choices = [0, 1, 2].map((index) => ({
      index,
      message: { role: 'assistant', content: null, tool_calls: [{ ...CALL, id: `call_${index}` }] },
      finish_reason: index === 1 ? 'tool_calls' : 'stop',
    }));
    const { text } = await askFor('chat', { id: 'c', object: 'chat.completion', choices });
    expect(JSON.parse(text).choices).toEqual(choices.map((choice) => ({ ...choice, finish_reason: 'tool_calls' })));
  });

  test('has a call of its text as a call, and not as text', async () => {
    const content = '<tool_call>\n{"name":"weather","arguments":{"city":"Ulm"}}\n</tool_call>';
    const { text } = await askFor('chat', { ...completion({ content, ...EXTRAS.message }), ...EXTRAS.body });
    const { choices, ...rest } = JSON.parse(text);
    expect(rest).toMatchObject(EXTRAS.body);
    expect(choices).toMatchObject([{ finish_reason: 'tool_calls', message: { content: null, ...EXTRAS.message } }]);
    expect(understood('chat', text, false).calls).toMatchObject([{ name: 'weather', args: '{"city":"Ulm"}' }]);
  });

  test('has a call of the old form in the new form only', async () => {
    const body = completion({ content: null, function_call: CALL.function, audio: { id: 'a' } }, 'function_call');
    const [choice] = JSON.parse((await askFor('chat', body)).text).choices;
    expect(choice.message).toEqual({
      role: 'assistant',
      content: null,
      audio: { id: 'a' },
      tool_calls: [{ id: expect.any(String), type: 'function', function: CALL.function }],
    });
  });

  test('has no call that was cut off', async () => {
    const cut = { ...CALL, id: 'call_2', function: { name: 'weather', arguments: '{"city":"U' } };
    const body = { ...completion({ content: 'Hi', tool_calls: [CALL, cut] }, 'stop'), ...EXTRAS.body };
    const { choices, ...rest } = JSON.parse((await askFor('chat', body)).text);
    expect(rest).toMatchObject(EXTRAS.body);
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'Hi', tool_calls: [CALL] } });
    expect(choices[0].message.tool_calls).toHaveLength(1);
  });

  test('keeps the number of a call where the server writes one', async () => {
    const body = completion({ content: '', tool_calls: [{ ...CALL, index: 0 }] });
    const [choice] = JSON.parse((await askFor('chat', body)).text).choices;
    expect(choice.message).toEqual({ role: 'assistant', content: '', tool_calls: [{ ...CALL, index: 0 }] });
  });

  test('is found inside a body around it', async () => {
    const body = { ...completion({ content: 'Hi', ...EXTRAS.message }), ...EXTRAS.body };
    const { text } = await askFor('chat', { code: 200, data: body });
    expect(JSON.parse(text)).toEqual(body);
  });

  test('keeps the fields of a response', async () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', status: 'completed' };
    const body = {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      created_at: 5,
      model: 'real-model',
      service_tier: 'flex',
      output: [
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'Ulm' } },
        { ...call, arguments: { city: 'Ulm' } },
      ],
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5, cost: 0.25 },
    };
    const answered = await askFor('responses', body);
    expect(answered.headers['x-oxbow-repairs']).toContain('C1');
    const { output, usage, ...rest } = JSON.parse(answered.text);
    expect(rest).toMatchObject({ id: 'resp_1', created_at: 5, model: 'real-model', service_tier: 'flex' });
    expect(usage).toMatchObject(body.usage);
    expect(output).toEqual([body.output[0], { ...call, arguments: '{"city":"Ulm"}' }]);
  });
});

describe('reasoning under the name "reasoning"', () => {
  const FORMS = [
    { form: 'alone', fields: { reasoning: 'Hm.' } },
    {
      form: 'with details',
      fields: { reasoning: 'Hm.', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] },
    },
    { form: 'under both names', fields: { reasoning: 'Hm.', reasoning_content: 'Hm.' } },
  ];

  test.each(FORMS)('is healthy in a whole answer ($form)', async ({ fields }) => {
    const body = completion({ content: 'Hi', ...fields });
    const answered = await askFor('chat', body);
    expect(answered.text).toBe(JSON.stringify(body));
    expect(answered.headers['x-oxbow-repairs']).toBeUndefined();
  });

  test.each(FORMS)('reaches the client of another wire ($form)', async ({ fields }) => {
    const { text } = await askFor('chat', completion({ content: 'Hi', ...fields }), 'responses');
    expect(understood('responses', text, false)).toMatchObject({ reasoning: 'Hm.', text: 'Hi' });
  });
});

describe('a whole answer with an empty delta next to its message', () => {
  const body = {
    ...completion({ content: 'Paris' }, 'stop', { delta: { role: 'assistant', content: '' } }),
    citations: ['https://example.com'],
  };

  test.each(WAYS)('is its message (client $client, stream $stream)', async ({ client, stream }) => {
    const { text, headers } = await askFor('chat', body, client, { stream });
    expect(understood(client, text, stream).text).toBe('Paris');
    if (client === 'responses' || stream) return;
    expect(text).toBe(JSON.stringify(body));
    expect(headers['x-oxbow-repairs']).toBeUndefined();
  });
});

describe('a whole answer without a message', () => {
  const { choices: _, ...head } = completion({});
  const body = { ...head, choices: [{ index: 0, finish_reason: 'content_filter', content_filter_results: { x: 1 } }] };

  test('passes as it came', async () => {
    expect((await askFor('chat', body)).text).toBe(JSON.stringify(body));
  });

  test('is a stream with a role for a client that wants one', async () => {
    const { text } = await askFor('chat', body, 'chat', { stream: true });
    expect(eventsIn(text)[0]).toMatchObject({ choices: [{ delta: { role: 'assistant' } }] });
    expect(eventsIn(text).at(-2)).toMatchObject({ choices: [{ finish_reason: 'content_filter' }] });
  });
});

describe('fields with the zero values of a struct', () => {
  const NO_CALL = { function_call: { name: '', arguments: '' } };
  const call = { ...CALL, custom: { name: '', input: '' } };

  test.each(WAYS)('are not a call (client $client, stream $stream)', async ({ client, stream }) => {
    const body = completion({ content: 'Hi', ...NO_CALL, tool_calls: null });
    const { status, text } = await askFor('chat', body, client, { stream });
    expect(status).toBe(200);
    expect(understood(client, text, stream)).toMatchObject({ text: 'Hi', calls: [], end: 'completed' });
    expect(text).not.toContain('"function_call"');
  });

  test.each(WAYS)('do not hide a call (client $client, stream $stream)', async ({ client, stream }) => {
    const body = completion({ content: '', ...NO_CALL, tool_calls: [call] }, 'tool_calls');
    const { status, text } = await askFor('chat', body, client, { stream });
    expect(status).toBe(200);
    expect(understood(client, text, stream)).toMatchObject({
      calls: [{ id: 'call_1', name: 'weather', args: '{"city":"Ulm"}' }],
      end: 'completed',
    });
  });
});
