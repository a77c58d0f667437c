import { describe, expect, test } from 'vitest';
import { MAX_ARGUMENT_CHARS, MAX_CALLS, MAX_DEPTH } from '../limits.ts';
import { call, chunk, DONE, piece, repair, repairOnce } from './fixtures/repair-frames.ts';

const END = [chunk({}, 'tool_calls'), DONE];
const pieces = (...all: readonly object[]) => [...all.map((it) => piece(it)), ...END];
const more = (index: number | undefined, input: string, fields: object = {}) => ({
  index,
  ...fields,
  function: { arguments: input },
});

describe('indexes (B1, B6)', () => {
  test('are added to calls without one', () => {
    const { data, ids, calls, callIds } = repair(
      pieces(
        call(undefined, 'a', 'get_weather', '{"city":"Oslo"}'),
        call(undefined, 'b', 'add', '{"a":1,'),
        more(undefined, '"b":2}'),
      ),
    );
    expect(ids).toEqual(['B1']);
    expect(data.slice(0, 3)).toEqual([
      piece(call(0, 'a', 'get_weather', '{"city":"Oslo"}')),
      piece(call(1, 'b', 'add', '{"a":1,')),
      piece(more(1, '"b":2}')),
    ]);
    expect(calls.map(({ name }) => name)).toEqual(['get_weather', 'add']);
    expect(callIds).toEqual(['a', 'b']);
  });

  test('keep calls apart, in any order of the pieces', () => {
    const frames = pieces(
      call(1, 'b', 'add', ''),
      call(0, 'a', 'get_weather', '{"city'),
      more(1, '{"a":1}'),
      more(0, '":"Oslo"}'),
    );
    const { data, ids, calls } = repair(frames);
    expect(ids).toEqual([]);
    expect(data).toEqual(frames);
    expect(calls).toEqual([
      { name: 'add', input: { a: 1 } },
      { name: 'get_weather', input: { city: 'Oslo' } },
    ]);
  });

  test('are shared by several calls, which ids keep apart', () => {
    const { data, repairs, calls } = repair(
      pieces(call(0, 'c94', 'add', '{"b":2,"a":2}'), call(0, 'c84', 'get_weather', '{"city":"Tokyo"}')),
    );
    expect(repairs).toMatchObject([{ id: 'B6', callId: 'c84', before: 'index 0', after: 'index 1' }]);
    expect(data[1]).toBe(piece(call(1, 'c84', 'get_weather', '{"city":"Tokyo"}')));
    expect(calls).toHaveLength(2);
  });

  test('are shared by several calls without ids, which names keep apart once arguments are complete', () => {
    const { ids, calls } = repair(pieces(call(0, undefined, 'now', '{}'), call(0, undefined, 'add', '{"a":1}')));
    expect(ids).toEqual(['B3', 'B6']);
    expect(calls).toEqual([
      { name: 'now', input: {} },
      { name: 'add', input: { a: 1 } },
    ]);
  });

  test('are shared by calls of one name without ids, which their objects keep apart (C6)', () => {
    const { ids, calls, callIds } = repair(
      pieces(call(0, 'a', 'read', '{"path":"x"}{"pa'), more(0, 'th":"y"}'), more(0, '{"path":"z"}')),
    );
    expect(ids).toEqual(['C6']);
    expect(calls.map(({ input }) => input)).toEqual([{ path: 'x' }, { path: 'y' }, { path: 'z' }]);
    expect(new Set(callIds).size).toBe(3);
  });

  test('that come late belong to the call that had none', () => {
    const { ids, calls } = repair(pieces(call(undefined, 'a', 'add', '{"a":'), more(0, '1}')));
    expect(ids).toEqual(['B1']);
    expect(calls).toEqual([{ name: 'add', input: { a: 1 } }]);
  });

  test('a frame with several good pieces passes unchanged, one with a bad piece is split', () => {
    const good = chunk({ tool_calls: [call(0, 'a', 'now', '{}'), call(1, 'b', 'add', '{"a":1}')] });
    expect(repair([good, ...END])).toMatchObject({ data: [good, ...END], ids: [] });
    const bad = chunk({ role: 'assistant', tool_calls: [call(0, 'a', 'now', '{}'), call(0, 'b', 'now', '{}')] });
    const { data, ids } = repair([bad, ...END]);
    expect(ids).toEqual(['B6']);
    expect(data.slice(0, 2)).toEqual([
      chunk({ role: 'assistant', tool_calls: [call(0, 'a', 'now', '{}')] }),
      chunk({ tool_calls: [call(1, 'b', 'now', '{}')] }),
    ]);
  });
});

describe('ids (B2, B3, B4, B8, B10)', () => {
  test('that are empty in later pieces are left out, as are empty names', () => {
    const { data, ids, calls } = repair(
      pieces(call(0, 'a', 'get_weather', ''), call(0, '', '', '{"city":'), call(0, '', '', '"Oslo"}')),
    );
    expect(ids).toEqual(['B2']);
    expect(data[1]).toBe(piece({ index: 0, type: 'function', function: { arguments: '{"city":' } }));
    expect(calls).toEqual([{ name: 'get_weather', input: { city: 'Oslo' } }]);
  });

  test('that are null are ignored', () => {
    const padding = { index: 0, id: null, type: null, function: { name: null, arguments: '{}' } };
    const frames = pieces(call(0, 'a', 'now', ''), padding);
    expect(repair(frames)).toMatchObject({ data: frames, ids: [] });
  });

  test('that never come are made, the same every time', () => {
    const frames = pieces(
      { index: 0, id: '', type: 'function', function: { name: 'now' } },
      call(1, undefined, 'now', '{}'),
    );
    const [first, second] = [repair(frames), repair(frames)];
    expect(first.ids).toEqual(['B3', 'C4']);
    expect(first.callIds).toEqual(second.callIds);
    expect(new Set(first.callIds).size).toBe(2);
    for (const id of first.callIds) expect(id).toMatch(/^call_[0-9a-f]+$/);
    const taken = repairOnce(frames, { isTaken: (id) => id === first.callIds[0] });
    expect(taken.callIds[0]).not.toBe(first.callIds[0]);
  });

  test('may be the same in every piece', () => {
    const frames = pieces(
      call(0, 'a', 'get_weather', ''),
      more(0, '{"city"', { id: 'a' }),
      more(0, ':"x"}', { id: 'a' }),
    );
    expect(repair(frames)).toMatchObject({ data: frames, ids: [], callIds: ['a'] });
  });

  test('that change within a call are ignored', () => {
    const { ids, callIds, calls } = repair(
      pieces(call(0, 'r1', 'get_weather', ''), more(0, '{"city"', { id: 'r2' }), call(0, 'r3', 'get_weather', ':"x"}')),
    );
    expect(ids).toEqual(['B4']);
    expect(callIds).toEqual(['r1']);
    expect(calls).toEqual([{ name: 'get_weather', input: { city: 'x' } }]);
  });

  test('that grow belong to one call', () => {
    const { ids, callIds } = repair(pieces(call(0, 'call_', 'now', ''), call(0, 'call_123', 'now', '{}')));
    expect(ids).toEqual(['B4']);
    expect(callIds).toEqual(['call_']);
  });

  test('that an earlier call has are made anew', () => {
    const frames = pieces(call(0, 'list_dir:0', 'read', '{"path":"x"}'));
    const { repairs, callIds } = repair(frames, { isTaken: (id) => id === 'list_dir:0' });
    expect(repairs).toMatchObject([{ id: 'B8', before: 'list_dir:0', after: callIds[0], callId: callIds[0] }]);
    expect(callIds[0]).toMatch(/^call_/);
  });

  test('that another call of the response has are made anew', () => {
    const { ids, callIds } = repair(
      pieces(call(0, 'call_0', 'now', '{}'), call(1, 'call_0', 'now', '{}'), more(1, '')),
    );
    expect(ids).toEqual(['B8']);
    expect(callIds[0]).toBe('call_0');
    expect(callIds[1]).toMatch(/^call_[0-9a-f]{16,}$/);
  });

  test('that are too long are shortened', () => {
    const { ids, callIds } = repair(pieces(call(0, 'x'.repeat(65), 'now', '{'), more(0, '}', { id: 'x'.repeat(65) })));
    expect(ids).toEqual(['B10']);
    expect(callIds[0]).toMatch(/^call_[0-9a-f]+$/);
    const fits = pieces(call(0, 'x'.repeat(64), 'now', '{}'));
    expect(repair(fits)).toMatchObject({ data: fits, ids: [] });
  });
});

describe('names (B5, B15)', () => {
  test('that come again are left out', () => {
    const { data, ids, calls } = repair(
      pieces(call(0, 'a', 'read_file', '{"path":'), call(0, 'a', 'read_file', '"x"}')),
    );
    expect(ids).toEqual(['B5']);
    expect(data[1]).toBe(piece({ index: 0, id: 'a', type: 'function', function: { arguments: '"x"}' } }));
    expect(calls).toEqual([{ name: 'read_file', input: { path: 'x' } }]);
  });

  test.each([
    ['read', '_file'],
    ['read', 'read_file'],
    ['re', 'ad_file'],
    ['functions.', 'read_file'],
  ])('in the pieces %s and %s are put together', (first, second) => {
    const { data, calls } = repair(
      pieces(call(0, 'a', first, ''), call(0, undefined, second), more(0, '{"path":"x"}')),
    );
    expect(calls).toEqual([{ name: 'read_file', input: { path: 'x' } }]);
    expect(data[0]).toContain('"name":"read_file"');
  });

  test('are held only while they may go on', () => {
    const held = [piece(call(0, 'a', 'read', ''))];
    expect(repairOnce([...held]).data).toHaveLength(2);
    const frames = pieces(call(0, 'a', 'read', ''), more(0, '{"path":"x"}'));
    expect(repair(frames)).toMatchObject({ data: frames, ids: [], calls: [{ name: 'read' }] });
    const next = pieces(
      call(0, 'a', 'read', ''),
      call(1, 'b', 'read', ''),
      more(0, '{"path":"x"}'),
      more(1, '{"path":"y"}'),
    );
    expect(repair(next)).toMatchObject({ data: next, ids: [] });
  });

  test.each([
    ['functions.read_file', ['B15']],
    ['default_api:read_file', ['B15']],
    ['Read_File', ['B15']],
    ['read_file<|channel|>commentary', ['D11']],
    ['functions.read_file<|channel|>json', ['B15', 'D11']],
  ])('%s means read_file', (name, repairs) => {
    const { ids, calls } = repair(pieces(call(0, 'a', name, '{"path":"x"}')));
    expect(ids).toEqual(repairs);
    expect(calls).toEqual([{ name: 'read_file', input: { path: 'x' } }]);
    expect(repair(pieces(call(0, 'a', name, ''), more(0, '{"path":"x"}'))).calls).toEqual(calls);
  });

  test('that mean no tool pass unchanged', () => {
    const frames = pieces(call(0, 'a', 'nothing_like_it', ''), more(0, '{}'));
    expect(repair(frames)).toMatchObject({ data: frames, ids: [], calls: [{ name: 'nothing_like_it' }] });
  });

  test('of another tool begin a call, if arguments are complete or the tool needs none', () => {
    const { calls } = repair(pieces(call(0, 'a', 'now', ''), call(0, undefined, 'add', '{"a":1}')));
    expect(calls.map(({ name }) => name)).toEqual(['now', 'add']);
    const within = repair(pieces(call(0, 'a', 'add', '{"a":'), call(0, undefined, 'now', '1}')));
    expect(within.calls).toEqual([{ name: 'add', input: { a: 1 } }]);
    expect(within.ids).toEqual(['B5']);
  });

  test('that never come are a failure of the response', () => {
    const { calls, end } = repair(pieces({ index: 0, id: 'a', function: { arguments: '{}' } }));
    expect(calls).toEqual([]);
    expect(end).toBe('failed');
  });
});

describe('other forms (B11, B13, C1)', () => {
  test('empty lists of calls are left out', () => {
    const { data, repairs } = repair([
      chunk({ content: 'a', tool_calls: [] }),
      chunk({ content: 'b', tool_calls: [] }),
      chunk({}, 'stop'),
      DONE,
    ]);
    expect(repairs.map(({ id }) => id)).toEqual(['B11']);
    expect(data.slice(0, 2)).toEqual([chunk({ content: 'a' }), chunk({ content: 'b' })]);
  });

  test('empty pieces and null lists pass unchanged', () => {
    for (const tool_calls of [
      null,
      [{}],
      [{ index: 0 }],
      [{ index: 0, id: '', function: { name: '', arguments: '' } }],
    ]) {
      const frames = [chunk({ content: 'a', tool_calls }), chunk({}, 'stop'), DONE];
      expect(repair(frames)).toMatchObject({ data: frames, ids: [], text: 'a' });
    }
  });

  test('a legacy call becomes a modern one', () => {
    const { data, ids, calls } = repair([
      chunk({ role: 'assistant', function_call: { name: 'read_file', arguments: '' } }),
      chunk({ function_call: { arguments: '{"path":' } }),
      chunk({ function_call: { arguments: '"x"}' } }),
      chunk({}, 'function_call'),
      DONE,
    ]);
    expect(ids).toEqual(['B13']);
    expect(calls).toEqual([{ name: 'read_file', input: { path: 'x' } }]);
    expect(data[1]).toBe(piece({ index: 0, function: { arguments: '{"path":' } }));
    expect(data.at(-2)).toBe(chunk({}, 'tool_calls'));
  });

  test('a legacy call next to its modern form is ignored', () => {
    const both = chunk({ tool_calls: [call(0, 'a', 'now', '{}')], function_call: { name: 'now', arguments: '{}' } });
    expect(repair([both, ...END])).toMatchObject({ data: [both, ...END], ids: [], callIds: ['a'] });
  });

  test('arguments that are an object become a text', () => {
    const { data, ids, calls } = repair(pieces(call(0, 'a', 'read_file', { path: 'x' })));
    expect(ids).toEqual(['C1']);
    expect(data[0]).toBe(piece(call(0, 'a', 'read_file', '{"path":"x"}')));
    expect(calls).toEqual([{ name: 'read_file', input: { path: 'x' } }]);
  });

  test('custom calls pass unchanged, with all of their fields', () => {
    const custom = (input: string, head = {}) => piece({ index: 0, ...head, custom: { input } });
    const frames = [
      custom('*** Be', { id: 'a', type: 'custom', custom: { name: 'p', input: '' } }),
      custom('gin {"'),
      ...END,
    ];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [] });
  });

  test('unknown fields stay with the pieces', () => {
    const signed = { ...call(undefined, 'a', 'now', '{}'), extra_content: { signature: 's' } };
    expect(repair(pieces(signed)).data[0]).toContain('"extra_content":{"signature":"s"}');
  });
});

describe('limits', () => {
  const failure = (frames: readonly string[]) => {
    const { data, calls, error } = repairOnce(frames);
    expect(calls).toEqual([]);
    expect(error?.code).toBe('invalid_response');
    expect(data.at(-1)).toContain('"error"');
    return error?.message;
  };

  test('more calls than the limit end the response', () => {
    const many = (count: number) => pieces(...Array.from({ length: count }, (_, n) => call(n, `c${n}`, 'now', '{}')));
    expect(repairOnce(many(MAX_CALLS)).calls).toHaveLength(MAX_CALLS);
    expect(failure(many(MAX_CALLS + 1))).toMatch(/more than 256 tool calls.*none.*run.*Ask for fewer steps/);
    expect(failure(pieces(call(0, 'a', 'now', '{"n":0}{"n":1}'.repeat(200))))).toMatch(/more than 256 tool calls/);
  });

  test('arguments longer than the limit end the response', () => {
    const part = 'x'.repeat(1024 * 1024);
    const long = (count: number, last: string) =>
      pieces(call(0, 'a', 'read', '{"path":"'), ...Array.from({ length: count }, () => more(0, part)), more(0, last));
    expect(repairOnce(long(15, '"}')).calls).toHaveLength(1);
    expect(failure(long(MAX_ARGUMENT_CHARS / part.length, '"}'))).toMatch(
      /more than 16777216 characters.*smaller steps/,
    );
  });

  test('arguments nested deeper than the limit end the response', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
    expect(repairOnce(pieces(call(0, 'a', 'now', nested(MAX_DEPTH)))).calls).toHaveLength(1);
    expect(failure(pieces(call(0, 'a', 'now', nested(MAX_DEPTH + 1))))).toMatch(/deeper than 256 levels/);
    expect(failure(pieces(call(0, 'a', 'now', JSON.parse(nested(MAX_DEPTH + 1)))))).toMatch(/deeper than 256 levels/);
  });
});
