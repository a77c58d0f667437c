import { describe, expect, test } from 'vitest';
import { ClientError } from '../edge/client-error.ts';
import type { RouteGateway } from '../edge/edge-wire.ts';
import type { Fields } from '../fields/request-fields.ts';
import { estimateTokens } from './count-tokens.ts';
import { edge } from './edge.ts';

describe('an error', () => {
  test.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [413, 'request_too_large'],
    [422, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [502, 'api_error'],
    [503, 'overloaded_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('with the status %i has the type %s', (status, type) => {
    const error = new ClientError('No.', { status, code: 'c' });
    expect(edge.errorBody(error)).toEqual({
      type: 'error',
      error: { type, message: 'No.', details: { error_code: 'c' } },
    });
  });

  test('about a request that is too long has the words that clients look for', () => {
    const error = (message: string) =>
      edge.errorBody(new ClientError(message, { status: 400, code: 'context_length_exceeded' }));
    expect(error('The maximum context length is 8192.')).toMatchObject({
      error: { type: 'invalid_request_error', message: 'prompt is too long: The maximum context length is 8192.' },
    });
    expect(error('prompt is too long: 9 tokens > 8 maximum')).toMatchObject({
      error: { message: 'prompt is too long: 9 tokens > 8 maximum' },
    });
  });
});

test('clients are recognised by the version that they send', () => {
  expect(edge.isClient?.((name) => (name === 'anthropic-version' ? '2023-06-01' : undefined))).toBe(true);
  expect(edge.isClient?.(() => undefined)).toBe(false);
});

test('models have the shape of this wire', () => {
  const models = [
    { id: 'a', created: 1_700_000_000 },
    { id: 'b', display_name: 'B', created_at: '2026-01-01T00:00:00Z' },
  ];
  expect(edge.modelList?.(models)).toEqual({
    data: [
      { type: 'model', id: 'a', display_name: 'a', created_at: '2023-11-14T22:13:20.000Z' },
      { type: 'model', id: 'b', display_name: 'B', created_at: '2026-01-01T00:00:00Z' },
    ],
    has_more: false,
    first_id: 'a',
    last_id: 'b',
  });
  expect(edge.modelList?.([])).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
  expect(edge.modelEntry?.({ id: 'c', created: 1e300 })).toMatchObject({ created_at: '1970-01-01T00:00:00.000Z' });
});

test.each<[unknown, boolean]>([
  [undefined, false],
  [[{ name: 'f' }, { type: 'custom', name: 'g' }], false],
  [[{ name: 'f' }, { type: 'web_search_20250305', name: 'web_search' }], true],
  [[{ type: 'bash_20250124', name: 'bash' }], true],
])('the tools %j are rare: %s', (tools, isRare) => {
  expect(edge.hasRareTools({ tools })).toBe(isRare);
});

describe('the tokens of a request', () => {
  const route = edge.routes.find(({ path }) => path === '/v1/messages/count_tokens');
  const count = (body: Fields, gateway: Partial<RouteGateway>) => {
    if (route?.type !== 'own') throw new Error('There is no route that counts.');
    return route.answer({ params: {}, query: '', body: async () => body }, gateway as RouteGateway);
  };
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };

  test('are counted by the server where it can', async () => {
    const asked: unknown[] = [];
    const gateway = {
      factsOf: () => ({}),
      forward: async (...args: unknown[]) => {
        asked.push(args);
        return { input_tokens: 9 };
      },
    };
    expect(await count(body, gateway)).toEqual({ input_tokens: 9 });
    expect(asked).toEqual([['/messages/count_tokens', 'm', body]]);
  });

  test('are estimated where it cannot, and an unknown model is refused', async () => {
    const gateway = { factsOf: () => ({}), forward: async () => undefined };
    expect(await count(body, gateway)).toEqual({ input_tokens: estimateTokens(body) });
    await expect(count({ ...body, model: 7 }, gateway)).rejects.toMatchObject({ status: 400 });
    await expect(count({ ...body, messages: 'x' }, gateway)).rejects.toMatchObject({ status: 400, param: 'messages' });
    await expect(count(body, { ...gateway, factsOf: () => undefined })).rejects.toMatchObject({ status: 404 });
  });

  test('grow with texts, tools, images and documents', () => {
    const tokens = (content: unknown, more: object = {}) =>
      estimateTokens({ messages: [{ role: 'user', content }], ...more });
    const words = 'word '.repeat(700);
    expect(tokens(words)).toBeGreaterThan(700);
    expect(tokens(words)).toBeLessThan(1500);
    expect(tokens('x', { tools: [{ name: 'f', description: words }] })).toBeGreaterThan(700);
    expect(tokens('x', { system: [{ type: 'text', text: words }] })).toBeGreaterThan(700);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(1e6) } };
    expect(tokens([image])).toBeLessThan(2000);
    expect(tokens([{ type: 'tool_result', tool_use_id: 't', content: [image] }])).toBeGreaterThan(1500);
    const pdf = (bytes: number) => [{ type: 'document', source: { type: 'base64', data: 'A'.repeat(bytes) } }];
    expect(tokens(pdf(100))).toBeGreaterThan(1500);
    expect(tokens(pdf(1e6))).toBeGreaterThan(10_000);
    expect(tokens([{ type: 'document', source: { type: 'text', data: words } }])).toBeGreaterThan(700);
    expect(tokens([{ type: 'thinking', thinking: 'hm', signature: 'A'.repeat(1e5) }])).toBeLessThan(50);
  });

  test('of a value that is nested too deeply are estimated too', () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}1${']'.repeat(20_000)}`);
    expect(estimateTokens({ messages: deep })).toEqual(expect.any(Number));
  });
});
