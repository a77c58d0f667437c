import { describe, expect, test } from 'vitest';
import { checkCases, WITH_TOOLS } from './fixtures/check-cases.ts';
import { added, argumentEvents, CREATED, call, callLife, completed, done } from './fixtures/events.ts';
import { repaired } from './fixtures/repaired.ts';

const OSLO = '{"city":"Oslo"}';

describe('identity', () => {
  const made = expect.stringMatching(/^call_[0-9a-f]+$/);
  checkCases([
    [
      'no id of a call',
      [CREATED, ...callLife(OSLO, { call_id: undefined }), completed()],
      { ids: ['B3'], calls: [{ call_id: 'fc_1' }] },
    ],
    [
      'no id at all',
      [CREATED, ...callLife(OSLO, { call_id: '', id: '' }), completed()],
      { ids: ['B3'], calls: [{ call_id: made }] },
    ],
    [
      'an id that the history has',
      [CREATED, ...callLife(OSLO), completed({ output: [call({ arguments: OSLO })] })],
      { ids: ['B8'], calls: [{ call_id: made }] },
      { ...WITH_TOOLS, isTaken: (id) => id === 'call_1' },
    ],
    [
      'an id twice in a response',
      [CREATED, ...callLife(OSLO), ...callLife('{}', { id: 'fc_2' }, 1), completed()],
      { ids: ['B8'], calls: [{ call_id: 'call_1' }, { call_id: made }] },
    ],
    [
      'an id that is too long',
      [CREATED, ...callLife(OSLO, { call_id: 'c'.repeat(65) }), completed()],
      { ids: ['B10'], calls: [{ call_id: made }] },
    ],
    [
      'a name with a prefix',
      [CREATED, ...callLife(OSLO, { name: 'functions.get_weather' }), completed()],
      { ids: ['B15'], calls: [{ name: 'get_weather' }] },
    ],
    [
      'a name with markup',
      [CREATED, ...callLife(OSLO, { name: 'get_weather<|channel|>commentary' }), completed()],
      { ids: ['B15'], calls: [{ name: 'get_weather' }] },
    ],
    [
      'a namespace that repeats the name',
      [CREATED, ...callLife(OSLO, { namespace: 'get_weather' }), completed()],
      { ids: ['B15'], calls: [{ type: 'function_call', name: 'get_weather', call_id: 'call_1' }] },
    ],
    [
      'a namespace of its own',
      [CREATED, ...callLife(OSLO, { name: 'search', namespace: 'mcp__docs' }), completed()],
      { ids: [], calls: [{ name: 'search', namespace: 'mcp__docs' }] },
    ],
    [
      'no name at the end',
      [CREATED, added(call()), done(call({ name: '', arguments: OSLO })), completed()],
      { ids: ['B2'], calls: [{ name: 'get_weather', arguments: OSLO }] },
    ],
    [
      'a name only at the end',
      [
        CREATED,
        added(call({ name: '' })),
        ...argumentEvents(['{"days"', ':"3"}']),
        done(call({ arguments: '{"days":"3"}' })),
        completed(),
      ],
      { ids: ['C10'], calls: [{ name: 'get_weather', arguments: '{"days":3}' }] },
    ],
    [
      'a name that no tool has',
      [CREATED, ...callLife(OSLO, { name: 'unknown' }), completed()],
      { ids: [], calls: [{ name: 'unknown' }] },
    ],
  ]);

  test('a namespace that was never declared is removed', () => {
    const { calls } = repaired([CREATED, ...callLife(OSLO, { namespace: 'get_weather' }), completed()], WITH_TOOLS);
    expect(calls[0]).not.toHaveProperty('namespace');
  });

  test('a call has the same new id everywhere', () => {
    const { frames } = repaired([CREATED, ...callLife(OSLO), completed({ output: [call({ arguments: OSLO })] })], {
      ...WITH_TOOLS,
      isTaken: (id) => id === 'call_1',
    });
    const ids = frames.flatMap(({ data }) => [...data.matchAll(/"call_id":"([^"]+)"/g)].map(([, id]) => id));
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
    expect(ids).not.toContain('call_1');
  });
});
