import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Item } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import { NO_USAGE } from '../../base/usage.ts';
import { anyResponse as anyChatResponse } from '../chat/fixtures/arbitrary-response.ts';
import { encodeBody } from './encode-body.ts';
import { encodeStream } from './encode-stream.ts';
import { anyResponse } from './fixtures/arbitrary-response.ts';
import { readStrictly } from './fixtures/strict-client.ts';

const OPTIONS = { model: 'm', createdAt: 1_700_000_000 };
const bodyOf = (events: readonly ModelEvent[]) => JSON.parse(JSON.stringify(encodeBody(events, OPTIONS)));
const done = (item: Item): ModelEvent => ({ type: 'item.done', item });
const call = (args: string): Item => ({ type: 'function_call', id: 'a', name: 'f', arguments: args, call_id: 'c1' });
const created: ModelEvent = { type: 'created', responseId: 'msg_1' };
const end: ModelEvent = { type: 'completed', responseId: 'msg_1', usage: NO_USAGE, endTurn: null };

describe('a whole answer', () => {
  test('has the shape of the protocol', () => {
    const message: Item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] };
    const usage = { ...NO_USAGE, inputTokens: 7, outputTokens: 5, reasoningOutputTokens: 2 };
    expect(bodyOf([created, done(message), done(call('{"x":1}')), { ...end, usage }])).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 'c1', name: 'f', input: { x: 1 } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: {
        input_tokens: 7,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 5,
        output_tokens_details: { thinking_tokens: 2 },
      },
    });
  });

  test('has no input for a call without arguments, and keeps arguments that are no object', () => {
    expect(bodyOf([created, done(call('')), end]).content).toMatchObject([{ input: {} }]);
    expect(bodyOf([created, done(call('{"x":')), end]).content).toMatchObject([{ input: { input: '{"x":' } }]);
  });

  test('has no call that was cut off', () => {
    const started: ModelEvent = {
      type: 'item.started',
      item: { type: 'function_call', id: 'a', name: 'f', callId: 'c' },
    };
    const cut: ModelEvent = { type: 'incomplete', responseId: 'msg_1', reason: 'max_output_tokens', usage: null };
    expect(bodyOf([created, started, cut])).toMatchObject({ content: [], stop_reason: 'max_tokens' });
  });

  test('of a failure is the error', () => {
    const failed: ModelEvent = { type: 'failed', code: 'rate_limit_exceeded', message: 'Slow down.' };
    expect(bodyOf([created, failed])).toEqual({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'Slow down.', details: { error_code: 'rate_limit_exceeded' } },
    });
  });

  test('says what the stream of the same events says', () => {
    fc.assert(
      fc.property(fc.oneof(anyResponse, anyChatResponse), (events) => {
        const encoder = encodeStream(OPTIONS);
        const { content, error, stopReason } = readStrictly(events.flatMap((event) => encoder.push(event)));
        const body = bodyOf(events);
        if (error !== undefined) {
          expect(body.error).toEqual(error);
          return;
        }
        expect(body.stop_reason).toBe(stopReason);
        const textOf = (blocks: readonly Record<string, unknown>[]) => blocks.map(({ text }) => text ?? '').join('');
        const idsOf = (blocks: readonly Record<string, unknown>[]) =>
          blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
        expect(textOf(body.content)).toBe(textOf(content));
        expect(idsOf(content)).toEqual(expect.arrayContaining(idsOf(body.content)));
      }),
      { numRuns: runs(500) },
    );
  });
});
