import { describe, expect, test } from 'vitest';
import { MAX_ARGUMENT_CHARS, MAX_CALLS, MAX_DEPTH, MAX_TEXT_CHARS } from '../limits.ts';
import { WITH_TOOLS } from './fixtures/check-cases.ts';
import {
  added,
  CREATED,
  call,
  callLife,
  completed,
  done,
  message,
  messageLife,
  reasoningLife,
  textDelta,
} from './fixtures/events.ts';
import { repaired } from './fixtures/repaired.ts';

const OSLO = '{"city":"Oslo"}';

describe('limits', () => {
  const failure = { type: 'failed', code: 'invalid_response' };

  test('too many calls end the response', () => {
    const lives = Array.from({ length: MAX_CALLS + 1 }, (_, n) =>
      callLife(OSLO, { id: `fc_${n}`, call_id: `call_${n}` }, n),
    );
    const { calls, end, frames } = repaired([CREATED, ...lives.flat(), completed()], WITH_TOOLS);
    expect(calls).toHaveLength(MAX_CALLS);
    expect(end).toMatchObject(failure);
    expect(frames.at(-1)?.event).toBe('response.failed');
  });

  test.each([
    ['too deep, as a text', `{"a":${'['.repeat(MAX_DEPTH + 1)}${']'.repeat(MAX_DEPTH + 1)}}`],
    ['too deep, as an object', JSON.parse(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`)],
    ['too long', `{"a":"${'x'.repeat(MAX_ARGUMENT_CHARS)}"}`],
  ])('arguments that are %s end the response', (_says, value) => {
    const { calls, end } = repaired(
      [CREATED, added(call()), done(call({ arguments: value })), completed()].map(rawFrame),
      WITH_TOOLS,
    );
    expect(calls).toEqual([]);
    expect(end).toMatchObject(failure);
  });

  test('arguments that grow too long end the response', () => {
    const piece = {
      type: 'response.function_call_arguments.delta',
      item_id: 'fc_1',
      output_index: 0,
      delta: 'x'.repeat(2 ** 20),
    };
    const pieces = Array.from({ length: 17 }, () => piece);
    const { end } = repaired([CREATED, added(call()), ...pieces, completed()].map(rawFrame), WITH_TOOLS);
    expect(end).toMatchObject(failure);
  });

  test.each([
    ['in pieces', (text: string) => messageLife([text.slice(0, 100), text.slice(100)])],
    ['as a whole', (text: string) => [done(message(text))]],
    ['of reasoning', (text: string) => reasoningLife([text.slice(0, 100), text.slice(100)])],
    ['after its end', (text: string) => [...messageLife(['a']), textDelta(text)]],
    ['of a refusal', (delta: string) => [{ type: 'response.refusal.delta', item_id: 'm', output_index: 0, delta }]],
  ])('too much text %s ends the response', (_says, events) => {
    const { end } = repaired([CREATED, ...events('x'.repeat(MAX_TEXT_CHARS + 1)), completed()].map(rawFrame));
    expect(end).toMatchObject({ ...failure, message: expect.stringContaining('characters of text in one answer') });
    expect(repaired([CREATED, ...events('x'.repeat(1000)), completed()]).end?.type).toBe('completed');
  });

  test('too much text in the list at the end ends the response', () => {
    const output = [message('x'.repeat(MAX_TEXT_CHARS)), message('y', { id: 'msg_2' })];
    expect(repaired([CREATED, completed({ output })].map(rawFrame)).end).toMatchObject(failure);
  });

  /** Returns a frame that is already parsed. */
  function rawFrame(json: object): object {
    return { data: '', json };
  }
});
