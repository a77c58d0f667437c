import { describe, expect, test } from 'vitest';
import { ModelError } from '../../base/errors.ts';
import type { Item } from '../../base/item.ts';
import type { ModelRequest, StreamedEvent } from '../../base/model.ts';
import { reply, say } from '../../testing/index.ts';
import { eventFaults } from '../../testing/model/event-faults.ts';
import { ApiCallError, type Part, scriptedLanguageModel } from './fixtures/scripted-language-model.ts';
import type { LanguageModel } from './language-model.ts';
import { type LanguageModelOptions, modelFromLanguageModel } from './model-from-language-model.ts';

const USER: Item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] };

const REQUEST: ModelRequest = {
  model: 'm',
  instructions: 'Be brief.',
  input: [USER],
  tools: [
    { type: 'function', name: 'weather', description: 'Weather.', strict: true, parameters: { type: 'object' } },
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Patches.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: x' },
    },
    {
      type: 'namespace',
      name: 'shop',
      description: 'A shop.',
      tools: [
        { type: 'function', name: 'order', description: 'Orders.', strict: false, parameters: { type: 'object' } },
      ],
    },
  ],
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: [],
};

const FINISH: Part = { type: 'finish', finishReason: { unified: 'stop', raw: 'x' }, usage: {} };

interface Asked {
  readonly events: StreamedEvent[];
  readonly items: Item[];
  readonly warnings: string[];
}

async function ask(
  model: LanguageModel,
  request: Partial<ModelRequest> = {},
  options?: LanguageModelOptions,
): Promise<Asked> {
  const events: StreamedEvent[] = [];
  const warnings: string[] = [];
  const { signal } = new AbortController();
  const warn = (message: string) => void warnings.push(message);
  const adapted = modelFromLanguageModel(model, options);
  for await (const event of adapted.stream({ ...REQUEST, ...request }, { signal, turnId: 't', warn })) {
    events.push(event);
  }
  const items = events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));
  return { events, items, warnings };
}

describe('a request', () => {
  test('has the history as a prompt, and tools as functions', async () => {
    const model = scriptedLanguageModel('v3', [reply(say('ok'))]);
    const picture = 'data:image/png;base64,AAAA';
    const input: Item[] = [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Rules.' }] },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'look' },
          { type: 'input_image', image_url: picture },
          { type: 'input_image', image_url: 'https://example.org/x.png' },
        ],
      },
      { type: 'function_call', name: 'weather', arguments: '{"city":"Ulm"}', call_id: 'c1' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'And a patch.' }] },
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin', call_id: 'c2' },
      { type: 'function_call', namespace: 'shop', name: 'order', arguments: 'torn', call_id: 'c3' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_image', image_url: picture }] },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'no such file' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'New rules.' }] },
    ];
    const schema = { type: 'object' };
    await ask(model, {
      input,
      failedCalls: new Set(['c2']),
      toolChoice: { type: 'custom', name: 'apply_patch' },
      text: { schema: { name: 'answer', strict: true, schema } },
      sampling: { temperature: 0.5, stop: ['x'] },
    });
    const image = { type: 'file', mediaType: 'image/png', data: 'AAAA' };
    const { abortSignal, ...call } = model.calls[0] ?? {};
    expect(abortSignal).toBeInstanceOf(AbortSignal);
    expect(call).toEqual({
      prompt: [
        { role: 'system', content: 'Be brief.\n\nRules.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            image,
            { type: 'file', mediaType: 'image/*', data: new URL('https://example.org/x.png') },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Ulm' } },
            { type: 'text', text: 'And a patch.' },
            { type: 'tool-call', toolCallId: 'c2', toolName: 'apply_patch', input: { input: '*** Begin' } },
            { type: 'tool-call', toolCallId: 'c3', toolName: 'shop__order', input: { input: 'torn' } },
          ],
        },
        {
          role: 'tool',
          content: [
            result('c1', 'weather', { type: 'text', value: 'attached local image path' }),
            result('c2', 'apply_patch', { type: 'error-text', value: 'no such file' }),
            result('c3', 'shop__order', { type: 'text', value: 'aborted' }),
          ],
        },
        { role: 'user', content: [image] },
        { role: 'user', content: [{ type: 'text', text: 'New rules.' }] },
      ],
      tools: [
        { type: 'function', name: 'weather', description: 'Weather.', inputSchema: { type: 'object' }, strict: true },
        {
          type: 'function',
          name: 'apply_patch',
          description: expect.stringContaining('start: x'),
          inputSchema: expect.objectContaining({ required: ['input'] }),
        },
        { type: 'function', name: 'shop__order', description: 'Orders.', inputSchema: { type: 'object' } },
      ],
      toolChoice: { type: 'tool', toolName: 'apply_patch' },
      responseFormat: { type: 'json', schema, name: 'answer' },
      temperature: 0.5,
      stopSequences: ['x'],
    });
  });

  test('has the options of the provider and headers', async () => {
    const model = scriptedLanguageModel('v3', [reply(say('ok'))]);
    const { warnings } = await ask(
      model,
      { reasoning: { effort: 'high' } },
      {
        headers: { 'x-team': 'a' },
        providerOptions: ({ reasoning }) => ({ maker: { effort: reasoning.effort ?? 'low' } }),
      },
    );
    expect(model.calls[0]).toMatchObject({
      headers: { 'x-team': 'a' },
      providerOptions: { maker: { effort: 'high' } },
    });
    expect(warnings).toEqual([]);
  });

  test('whose settings have no place, or are not supported, is warned about once', async () => {
    const start = {
      type: 'stream-start',
      warnings: [
        { type: 'unsupported', feature: 'temperature', details: 'The model thinks.' },
        { type: 'unsupported-setting', setting: 'seed' },
        { type: 'other', message: 'Old model.' },
      ],
    };
    const model = modelFromLanguageModel(
      scriptedLanguageModel('v3', [
        [start, FINISH],
        [start, FINISH],
      ]),
    );
    const warnings: string[] = [];
    const request = { ...REQUEST, reasoning: { effort: 'high' }, tools: [{ type: 'web_search' } as const] };
    const options = { signal: new AbortController().signal, turnId: 't', warn: (text: string) => warnings.push(text) };
    for (let n = 0; n < 2; n++) for await (const _ of model.stream(request, options));
    expect(warnings).toEqual([
      'The tool web_search is not offered: it is not a function.',
      'The effort of the reasoning is not sent: it is an option of the provider. Return it from a function, as providerOptions.',
      'The provider does not support temperature: The model thinks.',
      'The provider does not support seed.',
      'Old model.',
    ]);
  });

  test('of another version of the interface is refused', () => {
    const model = { ...scriptedLanguageModel('v3', []), specificationVersion: 'v9' };
    expect(() => modelFromLanguageModel(model as unknown as LanguageModel)).toThrow('v2 and v3 are supported');
  });
});

function result(toolCallId: string, toolName: string, output: object) {
  return { type: 'tool-result', toolCallId, toolName, output };
}

describe('a response', () => {
  const signature = { maker: { signature: 'abc' } };

  test('keeps the metadata of its parts, which go back with the next request', async () => {
    const model = scriptedLanguageModel('v3', [
      [
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'I think.' },
        { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: signature },
        { type: 'reasoning-end', id: 'r', providerMetadata: { maker: { part: 1 } } },
        { type: 'reasoning-start', id: 'hidden', providerMetadata: { maker: { data: 'x' } } },
        { type: 'reasoning-end', id: 'hidden' },
        { type: 'text-start', id: 't', providerMetadata: { maker: { item: 'msg' } } },
        { type: 'text-delta', id: 't', delta: 'Hi.' },
        { type: 'text-end', id: 't' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'weather', input: '', providerMetadata: signature },
        FINISH,
      ],
      reply(say('ok')),
    ]);
    const { events, items } = await ask(model);
    expect(eventFaults(events)).toEqual([]);
    const output: Item = { type: 'function_call_output', call_id: 'c', output: 'sunny' };
    const history = JSON.parse(JSON.stringify([USER, ...items, output])) as Item[];
    await ask(model, { input: history });
    expect(model.calls[1]?.prompt[2]).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'I think.', providerOptions: { maker: { signature: 'abc', part: 1 } } },
        { type: 'reasoning', text: '', providerOptions: { maker: { data: 'x' } } },
        { type: 'text', text: 'Hi.', providerOptions: { maker: { item: 'msg' } } },
        { type: 'tool-call', toolCallId: 'c', toolName: 'weather', input: {}, providerOptions: signature },
      ],
    });
  });

  test('has calls of every kind of tool, and none of tools that the provider runs', async () => {
    const model = scriptedLanguageModel('v2', [
      [
        { type: 'tool-input-start', id: 'a', toolName: 'apply_patch' },
        { type: 'tool-input-delta', id: 'a', delta: '{"input":"*** Begin Patch"}' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'apply_patch', input: '{"input":"*** Begin Patch"}' },
        { type: 'tool-call', toolCallId: 'b', toolName: 'shop__order', input: '{}' },
        { type: 'tool-call', toolCallId: 'x', toolName: 'search', input: '{}', providerExecuted: true },
        { type: 'tool-result', toolCallId: 'x', toolName: 'search', result: {}, providerExecuted: true },
        { type: 'tool-input-start', id: 'c', toolName: 'weather' },
        { type: 'tool-input-delta', id: 'c', delta: '{"city":1}' },
        { type: 'finish', finishReason: 'tool-calls', usage: {} },
      ],
    ]);
    const { events, items } = await ask(model);
    expect(eventFaults(events)).toEqual([]);
    expect(items).toMatchObject([
      { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: '*** Begin Patch' },
      { type: 'function_call', call_id: 'b', name: 'order', namespace: 'shop', arguments: '{}' },
      { type: 'function_call', call_id: 'c', name: 'weather', arguments: '{"city":1}' },
    ]);
    expect(new Set(items.map(({ id }) => id)).size).toBe(3);
  });

  test('that is cut off is incomplete, and its open call does not run', async () => {
    const model = scriptedLanguageModel('v3', [
      [
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'Hi' },
        { type: 'tool-input-start', id: 'c', toolName: 'weather' },
        { type: 'finish', finishReason: { unified: 'length' }, usage: { inputTokens: 1, outputTokens: 2 } },
      ],
    ]);
    const { events, items } = await ask(model);
    expect(items).toMatchObject([{ type: 'message' }]);
    expect(events.at(-1)).toMatchObject({
      type: 'incomplete',
      reason: 'max_output_tokens',
      usage: { totalTokens: 3 },
    });
  });

  test('has its tokens in the shape of either version', async () => {
    const usages = [
      { inputTokens: 10, outputTokens: 5, totalTokens: 15, reasoningTokens: 2, cachedInputTokens: 3 },
      {
        inputTokens: { total: 10, noCache: 7, cacheRead: 3, cacheWrite: 1 },
        outputTokens: { total: 5, text: 3, reasoning: 2 },
      },
    ];
    for (const usage of usages) {
      const { events } = await ask(scriptedLanguageModel('v3', [[{ ...FINISH, usage }]]));
      expect(events.at(-1)).toMatchObject({
        usage: { inputTokens: 10, cachedInputTokens: 3, outputTokens: 5, reasoningOutputTokens: 2, totalTokens: 15 },
      });
    }
  });
});

describe('an error', () => {
  const status = (statusCode: number, message: string, responseHeaders = {}) =>
    new ApiCallError(message, { statusCode, responseBody: JSON.stringify({ error: { message } }), responseHeaders });

  test.each<[string, unknown, object]>([
    ['429 with a wait', status(429, 'Slow.', { 'Retry-After': '7' }), { code: 'rate_limited', retryAfterMs: 7000 }],
    ['500', status(500, 'Broken.'), { code: 'server_error', retryable: true, status: 500 }],
    ['400 of a long prompt', status(400, 'prompt is too long: 9 tokens'), { code: 'context_length_exceeded' }],
    ['401', status(401, 'No key.'), { code: 'auth', retryable: false }],
    ['no answer', new ApiCallError('Cannot connect', { isRetryable: true }), { code: 'unreachable', retryable: true }],
    ['no key', Object.assign(new Error('No key.'), { name: 'AI_LoadAPIKeyError' }), { code: 'auth', retryable: false }],
    [
      'an unsupported function',
      Object.assign(new Error('No images.'), { name: 'AI_UnsupportedFunctionalityError' }),
      { code: 'bad_request', retryable: false, message: 'No images.' },
    ],
    ['an object', { type: 'overloaded_error', message: 'Busy.' }, { retryable: true }],
    ['an object for a long prompt', { code: 'context_length_exceeded' }, { code: 'context_length_exceeded' }],
    ['a broken connection', new TypeError('terminated'), { code: 'stream_broken', retryable: true }],
  ])('is known: %s', async (_, error, expected) => {
    const thrown: LanguageModel = { ...scriptedLanguageModel('v3', []), doStream: () => Promise.reject(error) };
    const streamed = scriptedLanguageModel('v3', [[{ type: 'error', error }]]);
    for (const model of [thrown, streamed]) {
      const failure: unknown = await ask(model).catch((reason: unknown) => reason);
      expect(failure).toBeInstanceOf(ModelError);
      expect(failure).toMatchObject(expected);
    }
  });

  test('ends a stream without a finish', async () => {
    await expect(ask(scriptedLanguageModel('v3', [[]]))).rejects.toMatchObject({ code: 'stream_broken' });
  });
});
