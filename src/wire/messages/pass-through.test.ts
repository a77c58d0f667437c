import { describe, expect, test } from 'vitest';
import { ModelError } from '../../base/errors.ts';
import type { Frame } from '../../base/wire.ts';
import { ClientError } from '../edge/client-error.ts';
import type { PassOptions } from '../edge/edge-wire.ts';
import type { Fields } from '../fields/request-fields.ts';
import type { RunningFrame } from '../framing/text-runs.ts';
import { passThrough } from './pass-through.ts';

const SECRET = 'sk-0123456789';
const OPTIONS: PassOptions = {
  includeUsage: true,
  store: false,
  responseId: 'r',
  encoding: { model: 'm', createdAt: 1 },
  redact: (text) => text.replaceAll(SECRET, '[redacted]'),
  failures: {
    toModelError: ({ code, message }) =>
      new ModelError(code === 'stream_closed' ? 'stream_broken' : 'server_error', message),
    toClientError: ({ message }) => new ClientError(message, { status: 529, code: 'server_is_overloaded' }),
  },
};

const frame = (event: Fields & { readonly type: string }): Frame => ({
  event: event.type,
  data: `${JSON.stringify(event)}  `,
});
const START = frame({ type: 'message_start', message: { id: 'm', usage: { input_tokens: 3, output_tokens: 1 } } });
const DELTA = frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } });
const STOP = frame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } });
const END = frame({ type: 'message_stop' });

function pass(frames: readonly Frame[], broken?: ModelError) {
  const translator = passThrough(OPTIONS);
  const out: Frame[] = [];
  for (const one of frames) translator.push(one, out);
  translator.settle(out);
  translator.end(out, broken);
  return { translator, out };
}

describe('a stream', () => {
  test('passes byte for byte, and its usage is read', () => {
    const ping = frame({ type: 'ping' });
    const running: RunningFrame = { ...DELTA, text: 'Hi' };
    const torn = { event: 'content_block_delta', data: '{"type":"content_block_delta","delta":{"text":"}}' };
    const frames = [START, ping, DELTA, running, STOP, END];
    const { out, translator } = pass([START, ping, DELTA, running, torn, STOP, END]);
    expect(out).toEqual(frames);
    expect(out.every((one, at) => one === frames[at])).toBe(true);
    expect(translator).toMatchObject({ spoke: true, over: true, failure: undefined });
    expect(translator.usage).toMatchObject({ inputTokens: 3, outputTokens: 9 });
  });

  test('has spoken only when a part of the answer came', () => {
    const translator = passThrough(OPTIONS);
    const spoke = [START, frame({ type: 'ping' }), DELTA].map((one) => {
      translator.push(one, []);
      return translator.spoke;
    });
    expect(spoke).toEqual([false, false, true]);
  });

  test('that ends after the stop reason gets its last event', () => {
    const { out, translator } = pass([START, DELTA, STOP]);
    expect(out.at(-1)).toMatchObject({ event: 'message_stop', data: '{"type":"message_stop"}' });
    expect(translator.failure).toBeUndefined();
  });

  test('that breaks before it ends with an error, also where the repair reported it', () => {
    const broken = new ModelError('stream_broken', 'The connection broke.');
    for (const frames of [
      [START, DELTA],
      [START, DELTA, frame({ type: 'error', error: { type: 'stream_closed', message: 'closed' } })],
    ]) {
      const { out, translator } = pass(frames, broken);
      expect(translator.failure).toBe(broken);
      expect(out.slice(2).map(({ event, data }) => ({ event, ...JSON.parse(data) }))).toEqual([
        {
          event: 'error',
          type: 'error',
          error: {
            type: 'overloaded_error',
            message: 'The connection broke.',
            details: { error_code: 'server_is_overloaded' },
          },
        },
      ]);
    }
    expect(pass([START]).translator.failure?.message).toBe('The server ended the connection without an answer.');
  });

  test('keeps an error as the server wrote it, without secrets', () => {
    const error = frame({
      type: 'error',
      error: { type: 'overloaded_error', message: `Busy ${SECRET}` },
      request_id: 'req',
    });
    const { out, translator } = pass([START, error, END]);
    expect(out).toHaveLength(2);
    expect(out[1]?.data).toBe(error.data.replace(SECRET, '[redacted]'));
    expect(translator.failure?.message).toBe('Busy [redacted]');
  });

  test('has errors in the shape that clients know, whatever the shape of the server', () => {
    const { out } = pass([START, { data: '{"error":{"message":"Bad"}}' }]);
    expect(out[1]).toMatchObject({ event: 'error' });
    expect(JSON.parse(out[1]?.data ?? '')).toMatchObject({ type: 'error', error: { message: 'Bad' } });
  });

  test('may be a message in one piece', () => {
    const whole = { data: '{"type":"message","content":[],"stop_reason":"end_turn","usage":{"output_tokens":2}}' };
    const { out, translator } = pass([whole]);
    expect(out).toEqual([whole]);
    expect(translator.usage).toMatchObject({ outputTokens: 2 });
  });
});
