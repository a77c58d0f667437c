import { describe, expect, test } from 'vitest';
import { checkCases, WITH_TOOLS } from './fixtures/check-cases.ts';
import { added, argumentEvents, CREATED, call, callLife, completed, done, messageLife } from './fixtures/events.ts';
import { repaired } from './fixtures/repaired.ts';

const OSLO = '{"city":"Oslo"}';

describe('arguments', () => {
  const calls = [{ name: 'get_weather', arguments: OSLO, call_id: 'call_1' }];
  const object = { city: 'Oslo' };
  const custom = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'apply_patch', input: '' };
  const patch = [{ type: 'custom_tool_call', name: 'apply_patch', call_id: 'call_1', input: 'the patch' }];
  checkCases([
    [
      'as an object',
      [CREATED, added(call({ arguments: {} })), done(call({ arguments: object })), completed()],
      { ids: ['C1'], calls },
    ],
    [
      'as an object where the text is announced to be complete',
      [
        CREATED,
        added(call()),
        { type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 0, arguments: object },
        done(call({ arguments: object })),
        completed(),
      ],
      { ids: ['C1'], calls },
    ],
    ['null', [CREATED, done(call({ arguments: null })), completed()], { ids: ['C1'], calls: [{ arguments: '{}' }] }],
    [
      'missing',
      [CREATED, done(call({ arguments: undefined })), completed()],
      { ids: ['C4'], calls: [{ arguments: '{}' }] },
    ],
    ['empty', [CREATED, ...callLife(''), completed()], { ids: ['C4'], calls: [{ arguments: '{}' }] }],
    [
      'only where they are complete',
      [CREATED, added(call()), done(call({ arguments: OSLO })), completed()],
      { ids: [], calls },
    ],
    [
      'in pieces, and left out at the end',
      [CREATED, added(call()), ...argumentEvents(['{"city"', ':"Oslo"}']), done(call()), completed()],
      { ids: ['H11'], calls },
    ],
    [
      'only in the event before the end',
      [CREATED, added(call()), ...argumentEvents([OSLO]).slice(1), done(call()), completed()],
      { ids: ['H11'], calls },
    ],
    [
      'only in the announcement',
      [CREATED, added(call({ arguments: OSLO })), done(call()), completed()],
      { ids: ['H11'], calls },
    ],
    [
      'that differ from their pieces',
      [CREATED, added(call()), ...argumentEvents(['{"city":"Rome"}']), done(call({ arguments: OSLO })), completed()],
      { ids: [], calls },
    ],
    ['without a bracket', [CREATED, ...callLife('{"city":"Oslo"'), completed()], { ids: ['C7'], calls }],
    ['encoded twice', [CREATED, ...callLife(JSON.stringify(OSLO)), completed()], { ids: ['C2'], calls }],
    [
      'of another type than declared',
      [CREATED, ...callLife('{"days":"3"}'), completed()],
      { ids: ['C10'], calls: [{ arguments: '{"days":3}' }] },
    ],
    [
      'of several calls',
      [CREATED, ...callLife(`${OSLO}{"city":"Rome"}`), ...messageLife(['And now?'], 'msg_1', 1), completed()],
      { ids: ['C6'], calls: [...calls, { name: 'get_weather', arguments: '{"city":"Rome"}' }], text: 'And now?' },
    ],
    [
      'that are not JSON at all',
      [CREATED, ...callLife('Oslo, please'), completed()],
      { ids: [], calls: [{ arguments: 'Oslo, please' }] },
    ],
    [
      'a text wrapped in an object',
      [CREATED, added(custom), done({ ...custom, input: { input: 'the patch' } }), completed()],
      { ids: ['C1'], calls: patch },
    ],
    [
      'a text that came in pieces only',
      [
        CREATED,
        added(custom),
        { type: 'response.custom_tool_call_input.delta', item_id: 'ctc_1', output_index: 0, delta: 'the ' },
        { type: 'response.custom_tool_call_input.delta', item_id: 'ctc_1', output_index: 0, delta: 'patch' },
        done(custom),
        completed(),
      ],
      { ids: ['H11'], calls: patch },
    ],
    [
      'a text tool called as a function',
      [CREATED, ...callLife('{"input":"the patch"}', { name: 'apply_patch' }), completed()],
      { ids: ['H2'], calls: patch },
    ],
    [
      'a text tool called as a command',
      [CREATED, ...callLife('{"command":["apply_patch","the patch"]}', { name: 'apply_patch' }), completed()],
      { ids: ['H2'], calls: patch },
    ],
  ]);

  test('further calls get indexes of their own, and later items move', () => {
    const { frames } = repaired(
      [CREATED, ...callLife(`${OSLO}{"city":"Rome"}`), ...messageLife(['Hi'], 'msg_1', 1), completed()],
      WITH_TOOLS,
    );
    const places = frames.flatMap(({ json }) => {
      const { type, output_index, item } = json as { type: string; output_index?: number; item?: { type: string } };
      return type === 'response.output_item.done' ? [[item?.type, output_index]] : [];
    });
    expect(places).toEqual([
      ['function_call', 0],
      ['function_call', 1],
      ['message', 2],
    ]);
  });

  test('deltas go on while they are repaired', () => {
    const { frames } = repaired([CREATED, ...callLife('{"city":"a\tb"}'), completed()], WITH_TOOLS);
    const deltas = frames.flatMap(({ json }) => {
      const { type, delta } = json as { type: string; delta?: string };
      return type === 'response.function_call_arguments.delta' ? [delta] : [];
    });
    expect(deltas.join('')).toBe('{"city":"a\\tb"}');
  });
});

test('a repair is reported once for each call, with its frame and shortened texts', () => {
  const text = `{"city":"${'a\t'.repeat(400)}"}`;
  const { repairs } = repaired(
    [CREATED, ...callLife(text), ...callLife('{"city":"a\tb"}', { id: 'fc_2', call_id: 'call_2' }, 1), completed()],
    WITH_TOOLS,
  );
  expect(repairs.map(({ id, callId, frame }) => [id, callId, frame])).toEqual([
    ['C9', 'call_1', 4],
    ['C9', 'call_2', 9],
  ]);
  for (const { title, before, after } of repairs) {
    expect(title).toBe('characters that JSON does not allow in the arguments');
    expect(before.length).toBeLessThanOrEqual(200);
    expect(after.length).toBeLessThanOrEqual(200);
  }
});
