import { describe, expect, test } from 'vitest';
import type { Frame } from '../../base/wire.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import { createStrictEvents } from './strict-events.ts';

/** Returns the events that are sent, and the frames that pass unchanged. */
function sent(...events: readonly Fields[]) {
  const strict = createStrictEvents({ responseId: 'resp_own', encoding: { model: 'asked', createdAt: 7 } });
  const out: Frame[] = [];
  const frames = events.map((event): Frame => ({ data: JSON.stringify(event) }));
  for (const [i, frame] of frames.entries()) out.push(strict.next(events[i] ?? {}, frame, out));
  return {
    events: out.map((frame) => frameValue(frame) as Fields),
    kept: out.filter((frame) => frames.includes(frame)),
  };
}

const response = { id: 'r', created_at: 5, model: 'm', status: 'in_progress' };
const created = { type: 'response.created', response };
const call = { type: 'function_call', id: 'fc', call_id: 'c', name: 'f', arguments: '{}', status: 'completed' };
const added = { type: 'response.output_item.added', output_index: 0, item: { ...call, arguments: '' } };
const done = { type: 'response.output_item.done', output_index: 0, item: call };
const completed = { type: 'response.completed', response: { id: 'r', output: [call] } };

describe('events for strict clients', () => {
  test('pass unchanged if nothing is missing', () => {
    const delta = { type: 'response.function_call_arguments.delta', item_id: 'fc', output_index: 0, delta: '{}' };
    const whole = [created, added, delta, done, completed].map((event, i) => ({ ...event, sequence_number: i * 2 }));
    const { events, kept } = sent(...whole);
    expect(events).toEqual(whole);
    expect(kept).toHaveLength(whole.length);
  });

  test('begin with the creation of the response, under one id', () => {
    const { events } = sent(added, done, completed);
    expect(events[0]).toMatchObject({ type: 'response.created', response: { id: 'resp_own', status: 'in_progress' } });
    expect(events.at(-1)).toMatchObject({ response: { id: 'resp_own', output: [call] } });
    expect(sent({ ...created, response: {} }).events[0]).toMatchObject({ response: { id: 'resp_own' } });
  });

  test('begin with the time and the model', () => {
    const about = { object: 'response', created_at: 7, model: 'asked', status: 'in_progress', output: [], error: null };
    expect(sent(added).events[0]).toMatchObject({ type: 'response.created', response: { ...about, id: 'resp_own' } });
    const bare = { ...created, response: { id: 'r', x: 1 } };
    expect(sent(bare).events).toEqual([{ ...bare, response: { ...bare.response, ...about, ...nulls } }]);
    const progress = { type: 'response.in_progress', response };
    expect(sent(progress).events[0]).toMatchObject({ type: 'response.created', response });
  });

  const nulls = { incomplete_details: null, usage: null };

  test('have one id for the response and each item, if the server sends another with each event', () => {
    const thought = { type: 'reasoning', summary: [] };
    const { events } = sent(
      created,
      { type: 'response.in_progress', response: { ...response, id: 'r2' } },
      { type: 'response.output_item.added', output_index: 0, item: { ...thought, id: 'a' } },
      { type: 'response.reasoning_summary_text.delta', item_id: 'b', output_index: 0, summary_index: 0, delta: 'hm' },
      { type: 'response.output_item.done', output_index: 0, item: { ...thought, id: 'c' } },
      { type: 'response.completed', response: { ...response, id: 'r3', output: [{ ...thought, id: 'd' }] } },
    );
    expect(events).toHaveLength(6);
    expect(events.flatMap(({ response: one, item, item_id }) => item_id ?? fieldsOf(one ?? item).id)).toEqual([
      ...['r', 'r', 'a', 'a', 'a', 'r'],
    ]);
    expect(events.at(-1)).toMatchObject({ response: { output: [{ ...thought, id: 'a' }] } });
  });

  test('announce each item once, even if two have one id', () => {
    const thought = { type: 'reasoning', id: 'rs', summary: [] };
    const both = [0, 1].flatMap((output_index) => [
      { type: 'response.output_item.added', output_index, item: thought },
      { type: 'response.reasoning_summary_part.added', item_id: 'rs', output_index, summary_index: 0, part: {} },
      { type: 'response.output_item.done', output_index, item: thought },
    ]);
    const { events } = sent(created, ...both);
    expect(events.map(({ type, output_index }) => [type, output_index])).toEqual(
      [created, ...both].map((event) => [event.type, 'output_index' in event ? event.output_index : undefined]),
    );
    expect(events.slice(4).map(({ item, item_id }) => item_id ?? fieldsOf(item).id)).toEqual(
      Array.from({ length: 3 }, () => 'reasoning_0'),
    );
  });

  describe.each([
    ['function_call', 'arguments', 'response.function_call_arguments'],
    ['custom_tool_call', 'input', 'response.custom_tool_call_input'],
  ])('of a %s', (type, field, name) => {
    const whole = { type, id: 'x', call_id: 'c', name: 'f', [field]: '{"a":1}', status: 'completed' };
    const start = { type: added.type, output_index: 0, item: { ...whole, [field]: '' } };
    const place = { item_id: 'x', output_index: 0 };
    const delta = { type: `${name}.delta`, ...place, delta: '{"a":1}' };
    const closed = { type: `${name}.done`, ...place, [field]: '{"a":1}' };
    const finish = { type: done.type, output_index: 0, item: whole };
    const numbered = (...events: readonly object[]) => events.map((event, n) => ({ ...event, sequence_number: n }));

    test('include its text as a piece', () => {
      const all = numbered(created, start, delta, closed, finish);
      expect(sent(...(numbered(created, start, finish) as Fields[])).events).toEqual(all);
      expect(sent(...(numbered(created, start, closed, finish) as Fields[])).events).toEqual(all);
    });

    test('stay as they are if a piece came, or if it was cut off', () => {
      const cut = { ...finish, item: { ...whole, status: 'incomplete' } };
      for (const events of [
        [created, start, delta, finish],
        [created, start, cut],
      ]) {
        expect(sent(...events).kept).toHaveLength(events.length);
        expect(sent(...events).events).toEqual(events);
      }
    });
  });

  test('have rising numbers, even after insertions', () => {
    const numbered = [created, done, completed].map((event, i) => ({ ...event, sequence_number: i }));
    const { events } = sent(...numbered);
    expect(events.map(({ type, sequence_number }) => [type, sequence_number])).toEqual([
      ['response.created', 0],
      ['response.output_item.added', 1],
      ['response.function_call_arguments.delta', 2],
      ['response.function_call_arguments.done', 3],
      ['response.output_item.done', 4],
      ['response.completed', 5],
    ]);
    expect(events[1]).toMatchObject({ item: { id: 'fc', arguments: '', status: 'in_progress' } });
  });

  test('have ids for items and indexes for parts', () => {
    const bare = { type: 'message', role: 'assistant', content: [] };
    const { events } = sent(
      created,
      { type: 'response.output_item.added', item: bare },
      { type: 'response.output_text.delta', delta: 'hi' },
      { type: 'response.output_item.done', item: bare },
      { type: 'response.completed', response: { id: 'r', output: [bare] } },
    );
    const [, first, delta, last, end] = events;
    expect(first).toMatchObject({ output_index: 0, item: { id: 'message_0' } });
    expect(delta).toMatchObject({ item_id: 'message_0', output_index: 0, content_index: 0 });
    expect(last).toMatchObject({ output_index: 0, item: { id: 'message_0' } });
    expect(end).toMatchObject({ response: { output: [{ id: 'message_0' }] } });
  });

  test('have no two items with one id', () => {
    const other = { ...call, call_id: 'd' };
    const { events } = sent(created, added, done, { ...done, item: other }, completed);
    const ids = events.filter(({ type }) => type === done.type).map(({ item }) => (item as Fields).id);
    expect(new Set(ids).size).toBe(2);
    expect(events.at(-1)).toMatchObject({ response: { output: [{ call_id: 'c' }, { call_id: 'd' }] } });
  });

  test('end with the completed items', () => {
    const listed = (type: string, output: readonly unknown[]) =>
      sent(
        created,
        added,
        { ...done, item: { ...call, status: 'incomplete' } },
        { type, response: { id: 'r', output } },
      );
    const incomplete = listed('response.incomplete', [call]).events.at(-1);
    expect(incomplete).toMatchObject({ response: { output: [{ status: 'incomplete' }] } });
    expect(listed('response.completed', []).events.at(-1)).toMatchObject({ response: { output: [{ id: 'fc' }] } });
  });

  test('list items by index, whatever the order of completion', () => {
    const second = { ...call, id: 'fc2', call_id: 'd' };
    const at = (event: object, item: object) => ({ ...event, output_index: 1, item }) as Fields;
    const { events } = sent(created, added, at(added, second), at(done, second), done, {
      type: 'response.incomplete',
      response: { id: 'r', output: [] },
    });
    expect(events.at(-1)).toMatchObject({ response: { output: [{ id: 'fc' }, { id: 'fc2' }] } });
  });
});
