import { describe, expect, test } from 'vitest';
import { call, chunk, DONE, openRepair, piece, repair, repairOnce } from './fixtures/repair-frames.ts';

const WEATHER = piece(call(0, 'call_1', 'get_weather', '{"city":"Oslo"}'));
const WEATHER_CALL = { name: 'get_weather', input: { city: 'Oslo' } };
const HALF = piece(call(0, 'call_1', 'get_weather', '{"city":"Os'));
const UNBRACKETED = piece(call(0, 'call_1', 'get_weather', '{"city":"Oslo"'));
const text = (content: string, finish?: unknown) => chunk({ content }, finish);

/** Returns the last chunk before the end mark. */
const lastChunk = (data: readonly string[]) => JSON.parse(data.filter((line) => line !== DONE).at(-1) ?? '{}');
const reasonOf = (data: readonly string[]) => lastChunk(data).choices?.[0]?.finish_reason;

describe('a finish signal that does not fit (A1, A8, A9)', () => {
  test('stop after a call becomes tool_calls, and the rest of the frame stays', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const end = chunk({}, 'stop', { usage, system_fingerprint: 'fp' });
    const { data, ids, calls, callIds } = repair([text('I look.'), WEATHER, end, DONE]);
    expect(data).toEqual([text('I look.'), WEATHER, end.replace('"stop"', '"tool_calls"'), DONE]);
    expect(ids).toEqual(['A1']);
    expect(calls).toEqual([WEATHER_CALL]);
    expect(callIds).toEqual(['call_1']);
  });

  test('a call in one frame and the signal much later belong together (A12)', () => {
    const { ids, calls } = repair([WEATHER, text('a'), text('b'), chunk({}, 'stop'), DONE]);
    expect(ids).toEqual(['A1']);
    expect(calls).toEqual([WEATHER_CALL]);
  });

  test('stop without a call stays stop', () => {
    const frames = [text('Hi'), chunk({}, 'stop'), DONE];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [], end: 'completed' });
  });

  test('tool_calls without any call becomes stop', () => {
    const { data, ids, text: answer } = repair([text('Hi'), chunk({ tool_calls: [] }, 'tool_calls'), DONE]);
    expect(ids).toEqual(['A8', 'B11']);
    expect(reasonOf(data)).toBe('stop');
    expect(answer).toBe('Hi');
  });

  test.each(['stop', 'tool_calls'])('a call that was cut off is not run although the server says %s', (reason) => {
    const { data, ids, calls, end } = repair([HALF, chunk({}, reason), DONE]);
    expect(ids).toEqual(['A9']);
    expect(reasonOf(data)).toBe('length');
    expect(calls).toEqual([]);
    expect(end).toBe('max_output_tokens');
  });

  test.each(['stop', 'tool_calls'])('a call that was cut off stays so when %s is said again', (reason) => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const again = chunk({ role: 'assistant', content: '' }, reason, { usage });
    const { data, ids, calls, end } = repair([HALF, chunk({}, reason), again, DONE]);
    expect(ids).toEqual(['A9']);
    expect(data.slice(-3, -1).map((line) => JSON.parse(line).choices[0].finish_reason)).toEqual(['length', 'length']);
    expect(lastChunk(data).usage).toEqual(usage);
    expect(calls).toEqual([]);
    expect(end).toBe('max_output_tokens');
  });

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('%s stays what it is, whatever there is of calls', (reason, end) => {
    for (const frame of [WEATHER, HALF, UNBRACKETED, text('a')]) {
      const frames = [frame, chunk({}, reason), DONE];
      expect(repair(frames)).toMatchObject({ data: frames, ids: [], calls: [], end });
    }
  });

  test('a signal that comes twice is repaired twice and reported once', () => {
    const { data, repairs } = repair([WEATHER, chunk({}, 'stop'), chunk({}, 'stop'), DONE]);
    expect(data.map((line) => line.includes('"tool_calls"'))).toEqual([true, true, true, false]);
    expect(repairs.map(({ id }) => id)).toEqual(['A1']);
  });

  test('a call after the signal gets a signal of its own', () => {
    const { ids, calls } = repair([text('a'), chunk({}, 'stop'), WEATHER, DONE]);
    expect(ids).toEqual(['A1']);
    expect(calls).toEqual([WEATHER_CALL]);
    const late = piece(call(1, 'call_2', 'now', '{}'));
    const second = repair([WEATHER, chunk({}, 'tool_calls'), late, DONE]);
    expect(second.ids).toEqual(['A5']);
    expect(second.callIds).toEqual(['call_1', 'call_2']);
  });
});

describe('a finish signal in other words (A2, A4, A7, A13)', () => {
  test.each([
    ['', 'A2'],
    [' ', 'A2'],
    ['null', 'A4'],
  ])('%j in the middle says nothing', (reason, id) => {
    const { data, ids, text: answer } = repair([text('a', reason), text('b', reason), chunk({}, 'stop'), DONE]);
    expect(ids).toEqual([id]);
    expect(data).toEqual([text('a'), text('b'), chunk({}, 'stop'), DONE]);
    expect(answer).toBe('ab');
  });

  test.each([
    ['end_turn', 'stop', 'completed'],
    ['STOP', 'stop', 'completed'],
    ['eos', 'stop', 'completed'],
    ['FinishReason.STOP', 'stop', 'completed'],
    ['something_new', 'stop', 'completed'],
    ['MAX_TOKENS', 'length', 'max_output_tokens'],
    ['max_tokens', 'length', 'max_output_tokens'],
    ['SAFETY', 'content_filter', 'content_filter'],
    [{ type: 'stop', matched: 1 }, 'stop', 'completed'],
  ])('%j is %s', (reason, word, end) => {
    const repaired = repair([text('a'), chunk({}, reason), DONE]);
    expect(repaired.ids).toEqual(['A7']);
    expect(reasonOf(repaired.data)).toBe(word);
    expect(repaired.end).toBe(end);
  });

  test.each(['tool_call', 'function_call', 'tool_use', 'TOOL_CALLS'])('%s ends calls', (reason) => {
    const { data, ids, calls } = repair([WEATHER, chunk({}, reason), DONE]);
    expect(ids).toEqual(['A7']);
    expect(reasonOf(data)).toBe('tool_calls');
    expect(calls).toEqual([WEATHER_CALL]);
  });

  test.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'function_call_filter: MALFORMED_FUNCTION_CALL'])(
    '%s is an error that may be tried again',
    (reason) => {
      const { data, ids, calls, error } = repair([chunk({ role: 'assistant' }), chunk({}, reason), DONE]);
      expect(ids).toEqual(['A13']);
      expect(calls).toEqual([]);
      expect(error).toEqual({
        code: 'malformed_call',
        message: `The server could not read the tool call that its model wrote (${reason}). Try again.`,
      });
      expect(data.at(-1)).toBe(DONE);
    },
  );

  test.each(['ERROR', 'abort', 'network_error'])('%s is an error too', (reason) => {
    const { ids, error } = repair([text('a'), chunk({}, reason), DONE]);
    expect(ids).toEqual(['F10']);
    expect(error).toMatchObject({ code: 'server_error', message: expect.stringContaining(reason) });
  });

  test('error passes unchanged, and the text before it counts', () => {
    const frames = [text('a <'), chunk({}, 'error'), DONE];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [], end: 'failed', text: 'a <' });
  });
});

describe('no finish signal (A5, A6)', () => {
  test('after the end mark the response is complete', () => {
    const answered = repair([text('Hi'), DONE]);
    expect(answered.ids).toEqual(['A5']);
    expect(answered.data).toEqual([text('Hi'), chunk({}, 'stop'), DONE]);
    const called = repair([WEATHER, DONE]);
    expect(called.ids).toEqual(['A5']);
    expect(called.data).toEqual([WEATHER, chunk({}, 'tool_calls'), DONE]);
    expect(called.calls).toEqual([WEATHER_CALL]);
  });

  test('after the end of the connection the response is complete only if its calls are', () => {
    expect(repair([WEATHER])).toMatchObject({ ids: ['A5'], calls: [WEATHER_CALL], end: 'completed' });
    const broken = [
      [text('Hi')],
      [HALF],
      [UNBRACKETED],
      [piece(call(0, 'c', 'now', ''))],
      [WEATHER, piece(call(1, 'call_2', 'read', '{"path'))],
    ];
    for (const frames of broken) {
      expect(repairOnce(frames)).toMatchObject({ ids: ['A6'], calls: [], error: { code: 'stream_closed' } });
    }
  });

  test('the end mark does not complete a call', () => {
    for (const frame of [HALF, UNBRACKETED]) {
      const { data, ids, calls, error } = repair([frame, DONE]);
      expect(ids).toEqual(['A6']);
      expect(calls).toEqual([]);
      expect(error?.code).toBe('stream_closed');
      expect(data.at(-1)).toBe(DONE);
    }
  });

  test('after a finish signal nothing is missing', () => {
    for (const frames of [
      [text('Hi'), chunk({}, 'stop')],
      [WEATHER, chunk({}, 'tool_calls')],
    ]) {
      expect(repair(frames)).toMatchObject({ data: frames, ids: [], end: 'completed' });
    }
  });

  test('an empty stream is left to the reader', () => {
    expect(repairOnce([])).toMatchObject({ data: [], ids: [], error: { code: 'stream_closed' } });
    expect(repair([DONE])).toMatchObject({ data: [DONE], ids: [] });
  });
});

describe('a finish signal next to other data (A10, A11)', () => {
  test('data next to it goes out before it, the usage with it', () => {
    const usage = { prompt_tokens: 1 };
    const both = chunk({ role: 'assistant', content: 'b' }, 'stop', { usage });
    const { data, ids, text: answer } = repair([text('a'), both, DONE]);
    expect(ids).toEqual(['A10']);
    expect(data).toEqual([text('a'), chunk({ role: 'assistant', content: 'b' }), chunk({}, 'stop', { usage }), DONE]);
    expect(answer).toBe('ab');
  });

  test('the end of arguments next to it counts', () => {
    const { ids, calls } = repair([HALF, piece({ index: 0, function: { arguments: 'lo"}' } }, 'stop'), DONE]);
    expect(ids).toEqual(['A1', 'A10']);
    expect(calls).toEqual([WEATHER_CALL]);
  });

  test('empty fields next to it are not data', () => {
    const frames = [text('a'), chunk({ content: '', reasoning_content: null, role: 'assistant' }, 'stop'), DONE];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [] });
  });

  test.each([null, undefined])('a delta that is %s is an empty one', (delta) => {
    const { data, ids } = repair([text('a'), chunk(delta, 'stop'), DONE]);
    expect(ids).toEqual(['A11']);
    expect(lastChunk(data).choices[0]).toEqual({ index: 0, delta: {}, finish_reason: 'stop' });
  });

  test('a frame without delta, signal and usage is left out, one with a usage is not', () => {
    const trailer = chunk(undefined, null, { id: '', filters: {} });
    const { data, ids } = repair([text('a'), trailer, chunk({}, 'stop'), trailer, DONE]);
    expect(ids).toEqual(['A11']);
    expect(data).toEqual([text('a'), chunk({}, 'stop'), DONE]);
    const counted = [text('a'), chunk(undefined, null, { usage: { prompt_tokens: 1 } }), chunk({}, 'stop'), DONE];
    expect(repair(counted)).toMatchObject({ data: counted, ids: [] });
  });
});

describe('a response', () => {
  const second = (delta: object, finish_reason: string | null) =>
    chunk({}, null, { choices: [{ index: 1, delta, finish_reason }] });

  test.each([
    ['its finish signal', [text('Hi'), chunk({}, 'stop')], true],
    [
      'usage after its finish signal',
      [text('Hi'), chunk({}, 'stop'), chunk({}, null, { choices: [], usage: {} })],
      true,
    ],
    ['an empty piece after its finish signal', [text('Hi', 'stop'), chunk({ content: '' })], true],
    ['text after its finish signal', [text('Hi', 'stop'), text(' there')], false],
    ['a call after its finish signal', [text('Hi', 'stop'), WEATHER], false],
    [
      'a call after its finish signal, and another signal',
      [text('Hi', 'stop'), WEATHER, chunk({}, 'tool_calls')],
      true,
    ],
    [
      'the finish signal of one of its choices',
      [text('Hi'), second({ content: 'Ho' }, null), chunk({}, 'stop')],
      false,
    ],
    ['an empty signal', [text('Hi', '')], false],
  ])('after %s may lack nothing but its end', (_, frames, isStopped) => {
    const { push, isStopped: isNow } = openRepair();
    for (const data of frames) push({ data });
    expect(isNow?.()).toBe(isStopped);
  });
});

describe('several choices', () => {
  const of = (index: number, delta: object) => chunk({}, null, { choices: [{ index, delta, finish_reason: null }] });

  test('are complete if only a later choice lacks its end', () => {
    for (const end of [[DONE], []]) {
      const frames = [text('a'), of(1, { content: 'b' }), chunk({}, 'stop'), ...end];
      expect(repair(frames)).toMatchObject({ data: frames, ids: [], text: 'a', end: 'completed' });
    }
  });

  test('beyond the limit pass unchanged', () => {
    const others = (content: string) => Array.from({ length: 200 }, (_, n) => of(n + 1, { content }));
    const frames = [text('Hello.'), ...others('Hello.'), chunk({}, 'stop'), DONE];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [], text: 'Hello.', end: 'completed' });
    const undecided = [text('a'), ...others('<tool_call>'), chunk({}, 'stop'), DONE];
    expect(repairOnce(undecided)).toMatchObject({ ids: [], text: 'a', end: 'completed' });
  });

  const both = (first: object, second: object) => chunk({}, null, { choices: [first, second] });

  test('pass together if both are right', () => {
    const frames = [
      both({ index: 0, delta: { content: 'a' } }, { index: 1, delta: { content: 'b' } }),
      both({ index: 0, delta: {}, finish_reason: 'stop' }, { index: 1, delta: {}, finish_reason: 'stop' }),
      DONE,
    ];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [] });
  });

  test('are repaired one by one', () => {
    const frames = [
      both({ index: 0, delta: { content: 'a' } }, { index: 1, delta: { tool_calls: [call(0, 'c', 'now', '{}')] } }),
      both({ index: 0, delta: {}, finish_reason: 'stop' }, { index: 1, delta: {}, finish_reason: 'stop' }),
      DONE,
    ];
    const { data, ids } = repair(frames);
    expect(ids).toEqual(['A1']);
    expect(data[1]).toContain('"index":0,"delta":{},"finish_reason":"stop"');
    expect(data[2]).toContain('"index":1,"delta":{},"finish_reason":"tool_calls"');
  });
});

test('a report has the repair, the frame and the change', () => {
  const { repairs } = repair([text('Hi'), WEATHER, chunk({}, 'stop'), DONE]);
  expect(repairs).toEqual([
    {
      id: 'A1',
      title: 'the finish signal did not say that tools were called',
      frame: 3,
      callId: null,
      before: 'stop',
      after: 'tool_calls',
    },
  ]);
  const { repairs: long } = repair([piece(call(0, 'x'.repeat(500), 'now', '{}')), chunk({}, 'tool_calls'), DONE]);
  expect(long.map(({ before }) => before.length)).toEqual([200]);
});
