import { describe, expect, onTestFinished, test } from 'vitest';
import type { ResponseStore } from '../base/response-store.ts';
import { sendJson, startServer } from '../model/test-loopback.ts';
import { call, reply, type ScriptedModel, say, startScriptedModel, think } from '../testing/index.ts';
import { eventsIn } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

async function startModel(): Promise<ScriptedModel> {
  const model = await startScriptedModel([reply(say('Blue.')), reply(say('Green.')), reply(say('Red.'))]);
  onTestFinished(() => model.close());
  return model;
}

const BROKEN: ResponseStore = {
  put: () => Promise.reject(new Error('the disk is full')),
  get: () => Promise.reject(new Error('the disk is gone')),
  find: () => Promise.reject(new Error('the disk is gone')),
  delete: async () => false,
};

const CASES = (['chat', 'responses'] as const).flatMap((wire) => [true, false].map((stream) => ({ wire, stream })));

describe.each(CASES)('a response of a $wire server with stream $stream', ({ wire, stream }) => {
  const bodyOf = (text: string) => (stream ? eventsIn(text).at(-1)?.response : JSON.parse(text)) as { id: string };
  const idOf = (text: string) => bodyOf(text).id;

  test('can be continued, more than once', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire });
    const post = (fields: object) => ask(`${url}/v1/responses`, { model: 'alias', stream, ...fields });
    const first = idOf((await post({ input: 'A colour?', instructions: 'Be brief.' })).text);
    const second = idOf((await post({ input: 'Another?', previous_response_id: first })).text);
    await post({ input: [{ role: 'user', content: 'A third?' }], previous_response_id: second });
    const sent = JSON.stringify(model.requests[2]?.body.messages ?? model.requests[2]?.body.input);
    const said = ['A colour?', 'Blue.', 'Another?', 'Green.', 'A third?'].map((text) => sent.indexOf(text));
    expect(said).not.toContain(-1);
    expect(said).toEqual([...said].sort((a, b) => a - b));
    expect(sent).not.toContain('Be brief.');
    expect(model.requests[2]?.body).not.toHaveProperty('previous_response_id');
  });

  test('can be read again, with its input, until it is deleted', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire });
    const { text } = await ask(`${url}/v1/responses`, { model: 'alias', stream, input: 'A colour?' });
    const id = idOf(text);
    expect(JSON.parse((await ask(`${url}/v1/responses/${id}`)).text)).toEqual(bodyOf(text));
    const { data } = JSON.parse((await ask(`${url}/v1/responses/${id}/input_items`)).text);
    expect(data).toMatchObject([{ type: 'message', role: 'user', content: [{ text: 'A colour?' }] }]);
    const deleted = await ask(`${url}/v1/responses/${id}`, undefined, { method: 'DELETE' });
    expect(JSON.parse(deleted.text)).toEqual({ id, object: 'response', deleted: true });
    expect((await ask(`${url}/v1/responses/${id}`)).status).toBe(404);
  });

  test('is stored before the client has its end', async () => {
    const model = await startModel();
    let store = (): void => {};
    let isStored = false;
    const stored = new Promise<void>((resolve) => {
      store = resolve;
    });
    const slow: ResponseStore = {
      async put() {
        await stored;
        isStored = true;
      },
      get: async () => undefined,
      find: async () => undefined,
      delete: async () => false,
    };
    const { url } = await startTestGateway(model.url, { wire }, { store: slow });
    const answered = ask(`${url}/v1/responses`, { model: 'alias', stream, input: 'A colour?' }).then(({ text }) => {
      expect(isStored).toBe(true);
      return text;
    });
    await model.waitForRequest(1).then(({ ended }) => ended);
    store();
    expect(bodyOf(await answered)).toMatchObject({ status: 'completed' });
  });

  test('is sent even if it cannot be stored, and the log says so', async () => {
    const model = await startModel();
    const { url, report } = await startTestGateway(model.url, { wire }, { store: BROKEN });
    const { status, text } = await ask(`${url}/v1/responses`, { model: 'alias', stream, input: 'A colour?' });
    expect([status, bodyOf(text)]).toMatchObject([200, { status: 'completed' }]);
    expect((await report()).error).toBe('The response could not be kept: the disk is full.');
  });

  test('is not stored when the client says so', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire });
    const { text } = await ask(`${url}/v1/responses`, { model: 'alias', stream, store: false, input: 'A colour?' });
    expect((await ask(`${url}/v1/responses/${idOf(text)}`)).status).toBe(404);
  });
});

describe.each([true, false])('a reference to an item of an earlier response, with stream %s', (stream) => {
  const bodyOf = (text: string) =>
    (stream ? eventsIn(text).at(-1)?.response : JSON.parse(text)) as {
      readonly id: string;
      readonly output: readonly { readonly id: string; readonly type: string }[];
    };
  const outputOf = (text: string) => bodyOf(text).output;
  const reference = (id = '') => ({ type: 'item_reference', id });
  const TOOLS = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }];

  test('stands for the item, on a server of another wire', async () => {
    const model = await startScriptedModel([
      reply(think('Hm.'), say('I look.'), call('look', {})),
      reply(say('Done.')),
    ]);
    onTestFinished(() => model.close());
    const { url } = await startTestGateway(model.url, { wire: 'chat' });
    const post = (input: unknown) => ask(`${url}/v1/responses`, { model: 'alias', stream, input, tools: TOOLS });
    const output = outputOf((await post('Go.')).text);
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
    const { call_id } = output[2] as unknown as { call_id: string };
    const answer = { type: 'function_call_output', call_id, output: 'A cat.' };
    const { status } = await post([{ role: 'user', content: 'Go.' }, ...output.map(({ id }) => reference(id)), answer]);
    expect(status).toBe(200);
    expect(model.requests[1]?.body.messages).toMatchObject([
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: 'I look.', tool_calls: [{ id: call_id, function: { name: 'look' } }] },
      { role: 'tool', tool_call_id: call_id, content: 'A cat.' },
    ]);
  });

  test('is a part of the thread that a later request continues', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire: 'chat' });
    const post = async (fields: object) => {
      const { text } = await ask(`${url}/v1/responses`, { model: 'alias', stream, ...fields });
      return bodyOf(text);
    };
    const first = await post({ input: 'A colour?' });
    const second = await post({ input: [reference(first.output[0]?.id), { role: 'user', content: 'Another?' }] });
    await post({ input: 'A third?', previous_response_id: second.id });
    expect(model.requests[2]?.body.messages).toMatchObject(
      ['Blue.', 'Another?', 'Green.', 'A third?'].map((content) => ({ content })),
    );
  });

  test('is never to an item of another thread, although the server repeats its ids', async () => {
    const server = await startServer((response, turn) =>
      sendJson(response, 200, {
        id: 'chatcmpl-1',
        choices: [{ index: 0, message: { role: 'assistant', content: `Answer ${turn}` }, finish_reason: 'stop' }],
      }),
    );
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const post = (input: unknown) => ask(`${url}/v1/responses`, { model: 'alias', stream, input });
    const mine = outputOf((await post('Mine?')).text);
    await post('Theirs?');
    await post([reference(mine[0]?.id), { role: 'user', content: 'And?' }]);
    expect(JSON.parse(server.requests[2]?.body ?? '').messages).toMatchObject([
      { content: 'Answer 1' },
      { content: 'And?' },
    ]);
  });

  test('is refused where no one knows the item', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire: 'chat' });
    const post = (input: unknown) => ask(`${url}/v1/responses`, { model: 'alias', stream, store: false, input });
    const output = outputOf((await post('A colour?')).text);
    const { status, text } = await post([reference(output[0]?.id), { role: 'user', content: 'Another?' }]);
    expect([status, JSON.parse(text).error]).toMatchObject([
      404,
      {
        code: 'item_not_found',
        param: 'input',
        message: expect.stringContaining('here any more. Send the item itself instead.'),
      },
    ]);
    expect(model.requests).toHaveLength(1);
  });
});

describe('a reference on a server of the same wire', () => {
  const response = (fields: object) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Blue.' }] }],
    ...fields,
  });
  const input = [
    { type: 'item_reference', id: 'msg_1' },
    { role: 'user', content: 'Another?' },
  ];

  test.each([
    { what: 'passes to a server that has stored the item', fields: { store: true }, first: { type: 'item_reference' } },
    { what: 'is resolved for a server that stores nothing', fields: { store: false }, first: { role: 'assistant' } },
    { what: 'is resolved for a server that does not say', fields: {}, first: { role: 'assistant' } },
  ])('$what', async ({ fields, first }) => {
    const server = await startServer((answer) => sendJson(answer, 200, response(fields)));
    const { url } = await startTestGateway(server.url, { wire: 'responses' });
    await ask(`${url}/v1/responses`, { model: 'alias', input: 'A colour?' });
    await ask(`${url}/v1/responses`, { model: 'alias', input });
    expect(JSON.parse(server.requests[1]?.body ?? '').input).toMatchObject([first, input[1]]);
  });

  test('passes where only the server may know the item', async () => {
    const server = await startServer((answer) => sendJson(answer, 200, response({})));
    const { url } = await startTestGateway(server.url, { wire: 'responses' });
    await ask(`${url}/v1/responses`, { model: 'real-model', input });
    expect(JSON.parse(server.requests[0]?.body ?? '').input).toEqual(input);
  });
});

describe('an unknown response', () => {
  test('is an error where the server cannot know it either', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire: 'chat' });
    const { status, text } = await ask(`${url}/v1/responses`, {
      model: 'alias',
      input: 'x',
      previous_response_id: 'resp_x',
    });
    expect(status).toBe(404);
    expect(JSON.parse(text).error).toMatchObject({
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    });
    expect(model.requests).toEqual([]);
  });

  test('cannot be looked for in a store that fails', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire: 'chat' }, { store: BROKEN });
    const { status, text } = await ask(`${url}/v1/responses`, {
      model: 'alias',
      input: 'x',
      previous_response_id: 'resp_x',
    });
    expect([status, JSON.parse(text).error.code]).toEqual([500, 'internal_error']);
    expect((await ask(`${url}/v1/responses/resp_x`)).status).toBe(500);
    expect(model.requests).toEqual([]);
  });

  test('is left to a server that may know it', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire: 'responses' });
    await ask(`${url}/v1/responses`, { model: 'alias', input: 'x', previous_response_id: 'resp_x' });
    expect(model.requests[0]?.body).toMatchObject({ input: 'x', previous_response_id: 'resp_x' });
  });
});
