import { describe, expect, test } from 'vitest';
import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import { createStrictEvents } from './strict-events.ts';

/** Returns the events that are sent, and the frames that pass unchanged. */
function sent(...events: readonly Fields[]) {
  const strict = createStrictEvents('resp_own');
  const out: Frame[] = [];
  const frames = events.map((event): Frame => ({ data: JSON.stringify(event) }));
  for (const [i, frame] of frames.entries()) out.push(strict.next(events[i] ?? {}, frame, out));
  return {
    events: out.map((frame) => frameValue(frame) as Fields),
    kept: out.filter((frame) => frames.includes(frame)),
  };
}

const created = { type: 'response.created', response: { id: 'r', status: 'in_progress' } };
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

  test('have rising numbers, even after insertions', () => {
    const numbered = [created, done, completed].map((event, i) => ({ ...event, sequence_number: i }));
    const { events } = sent(...numbered);
    expect(events.map(({ type, sequence_number }) => [type, sequence_number])).toEqual([
      ['response.created', 0],
      ['response.output_item.added', 1],
      ['response.output_item.done', 2],
      ['response.completed', 3],
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
