import { describe, expect, test } from 'vitest';
import { call, chunk, DONE, piece, repair, repairOnce } from './fixtures/repair-frames.ts';

const text = (content: string) => chunk({ content });
const STOP = [chunk({}, 'stop'), DONE];
const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

describe('data that is not a chunk (F2, F3)', () => {
  test.each([
    [': keepalive', 'F2'],
    ['PROCESSING', 'F2'],
    ['[1]', 'F2'],
    ['', 'F3'],
    ['""', 'F3'],
  ])('%j is left out', (data, id) => {
    const repaired = repair([data, text('a'), data, ...STOP]);
    expect(repaired.repairs.map((repair) => repair.id)).toEqual([id]);
    expect(repaired.data).toEqual([text('a'), ...STOP]);
  });

  test('events of other kinds pass', () => {
    const frames = ['{"type":"ping"}', '{}', '{"choices":[],"prompt_filter_results":[]}', text('a'), ...STOP];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [] });
  });
});

describe('a damaged frame (F9)', () => {
  const damaged = '{"choices":[{"index":0,"delta":{"content":"is lost"},"finish_re';
  const failure = { code: 'stream_closed', message: expect.stringContaining('damaged') };

  test('inside a call keeps the call from running', () => {
    const opening = piece(call(0, 'c', 'read', '{"path":"a'));
    const repaired = repair([
      opening,
      damaged,
      piece(call(0, undefined, undefined, 'b"}')),
      chunk({}, 'tool_calls'),
      DONE,
    ]);
    expect(repaired).toMatchObject({ ids: ['F9'], calls: [], error: failure });
  });

  test('keeps calls from running that were complete or in the text', () => {
    const whole = piece(call(0, 'c', 'now', '{}'));
    const written = text('<tool_call>{"name":"now","arguments":{}}</tool_call>');
    for (const said of [whole, written])
      for (const frames of [
        [said, damaged],
        [damaged, said],
      ])
        expect(repair([...frames, ...STOP])).toMatchObject({ ids: ['F9'], calls: [], error: failure });
  });

  test('leaves the text around it', () => {
    for (const end of [STOP, [DONE], []])
      expect(repair([text('This '), damaged, damaged, text(' here.'), ...end])).toMatchObject({
        ids: ['F9'],
        text: 'This  here.',
        error: failure,
      });
    expect(repair([` ${damaged}`])).toMatchObject({ ids: ['F9'], error: failure });
  });

  test('does not change anything that the finish signal covers', () => {
    const whole = [piece(call(0, 'c', 'now', '{}')), chunk({}, 'tool_calls')];
    expect(repair([...whole, damaged, DONE])).toMatchObject({ ids: ['F9'], data: [...whole, DONE], callIds: ['c'] });
    const later = piece(call(1, 'd', 'read', '{"path":"a'));
    const { error, callIds } = repair([...whole, later, damaged, DONE]);
    expect({ error, callIds }).toEqual({ error: failure, callIds: ['c'] });
  });
});

describe('errors (F10, F11)', () => {
  test('pass unchanged, and no finish is made up after them', () => {
    const error = '{"choices":[],"error":{"code":502,"message":"Worker limit reached"}}';
    for (const frames of [
      [error],
      [error, DONE],
      [text('b <'), error, DONE],
      [piece(call(0, 'c', 'now', '{')), error],
    ]) {
      expect(repair(frames)).toMatchObject({ data: frames, ids: [], error: { code: '502' }, calls: [] });
    }
  });

  test('release the text that was held before them', () => {
    const error = '{"error":{"message":"quota exceeded"}}';
    const { text: said, error: failure } = repair([text('Hi <tool_ca'), error, chunk({}, 'stop'), DONE]);
    expect(said).toBe('Hi <tool_ca');
    expect(failure?.message).toBe('quota exceeded');
  });

  test.each([
    [
      { event: 'error', data: '{"message":"overloaded","code":"busy"}' },
      { code: 'busy', message: 'overloaded' },
    ],
    [
      { event: 'error', data: 'upstream timeout' },
      { code: null, message: 'upstream timeout' },
    ],
    [{ data: '{"object":"error","message":"too long","code":400}' }, { code: '400', message: 'too long' }],
  ])('in other forms are given the usual one', (frame, error) => {
    expect(repairOnce([text('b'), frame, DONE])).toMatchObject({ ids: ['F10'], error });
  });
});

describe('other bodies (F12, F13)', () => {
  const body = (message: object, finish_reason: unknown = 'stop', more: object = {}) => ({
    id: 'r1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason }],
    ...more,
  });

  test('a whole answer becomes a stream', () => {
    const message = {
      role: 'assistant',
      content: 'Hi',
      reasoning_content: 'Hm.',
      refusal: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } },
        { id: 'c2', type: 'function', function: { name: 'add', arguments: '{"a":1}' } },
      ],
    };
    const repaired = repair([JSON.stringify(body(message, 'tool_calls', { usage: USAGE }))]);
    expect(repaired.ids).toEqual(['F13']);
    expect(repaired.data).toEqual(
      [
        chunk({ role: 'assistant' }),
        chunk({ reasoning_content: 'Hm.' }),
        chunk({ content: 'Hi' }),
        piece({ id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' }, index: 0 }),
        piece({ id: 'c2', type: 'function', function: { name: 'add', arguments: '{"a":1}' }, index: 1 }),
        chunk({}, 'tool_calls'),
        chunk({}, null, { choices: [], usage: USAGE }),
        DONE,
      ].map((line) => expect.toSatisfy((said: string) => (line === DONE ? said === DONE : equal(said, line)))),
    );
    expect(repaired.callIds).toEqual(['c1', 'c2']);
    expect(repaired.events.at(-1)).toMatchObject({ type: 'completed', usage: { inputTokens: 3, outputTokens: 2 } });
  });

  test('is repaired like any other answer', () => {
    const legacy = { role: 'assistant', content: null, function_call: { name: 'read', arguments: { path: 'x' } } };
    expect(repair([JSON.stringify(body(legacy, 'function_call'))])).toMatchObject({
      ids: ['B13', 'C1', 'F13'],
      calls: [{ name: 'read', input: { path: 'x' } }],
    });
    const empty = { content: 'final', tool_calls: [] };
    expect(repair([JSON.stringify(body(empty))])).toMatchObject({ ids: ['B11', 'F13'], text: 'final' });
    expect(repair([JSON.stringify(body({ content: 'Hi' }, null))])).toMatchObject({
      ids: ['A5', 'F13'],
      text: 'Hi',
    });
    const nothing = { tool_calls: [{ id: 'c', function: { name: 'now', arguments: null } }] };
    expect(repair([JSON.stringify(body(nothing, 'stop'))])).toMatchObject({
      ids: ['A1', 'B12', 'C1', 'F13'],
      callIds: ['c'],
    });
  });

  test('a wrapped body is unwrapped', () => {
    const wrapped = JSON.stringify({ data: body({ role: 'assistant', content: 'Hi' }), success: true });
    expect(repair([wrapped])).toMatchObject({ ids: ['F12', 'F13'], text: 'Hi' });
    const chunks = [text('b'), chunk({}, 'stop')].map((line) => `{"data":${line}}`);
    expect(repair([...chunks, DONE])).toMatchObject({ ids: ['F12'], data: [text('b'), ...STOP] });
  });

  test('a message next to a delta is not a body', () => {
    const frames = [
      text('b'),
      chunk({}, 'stop', { choices: [{ index: 0, delta: {}, message: { content: 'b' }, finish_reason: 'stop' }] }),
      DONE,
    ];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [], text: 'b' });
  });
});

describe('usage (F14, F15)', () => {
  test('without a list of choices gets one', () => {
    const { data, ids, events } = repair([
      text('b'),
      chunk({}, 'stop'),
      JSON.stringify({ id: 'r1', usage: USAGE }),
      DONE,
    ]);
    expect(ids).toEqual(['F14']);
    expect(data[2]).toBe(JSON.stringify({ id: 'r1', usage: USAGE, choices: [] }));
    expect(events.at(-1)).toMatchObject({ type: 'completed', usage: { totalTokens: 5 } });
  });

  test('next to an empty choice loses the choice', () => {
    const { data, ids } = repair([text('b'), chunk({}, 'stop'), chunk({ content: '' }, null, { usage: USAGE }), DONE]);
    expect(ids).toEqual(['F14']);
    expect(data[2]).toBe(chunk({}, null, { choices: [], usage: USAGE }));
  });

  test('inside a choice moves to the response', () => {
    const inside = chunk({}, 'stop', { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: USAGE }] });
    const { data, ids, events } = repair([text('b'), inside, DONE]);
    expect(ids).toEqual(['F15']);
    expect(data[1]).toBe(chunk({}, 'stop', { usage: USAGE }));
    expect(events.at(-1)).toMatchObject({ usage: { totalTokens: 5 } });
  });

  test('in its place passes, also if not requested and with every frame', () => {
    const counted = (delta: object, finish: unknown = null) =>
      chunk(delta, finish, { usage: USAGE, x_host: { usage: {} } });
    const frames = [
      counted({ content: 'b' }),
      counted({}, 'stop'),
      chunk({}, null, { choices: [], usage: USAGE }),
      DONE,
    ];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [] });
  });
});

function equal(said: string, line: string): boolean {
  expect(JSON.parse(said)).toEqual(JSON.parse(line));
  return true;
}
