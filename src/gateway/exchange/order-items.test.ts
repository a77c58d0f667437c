import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { type Item, isCall } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import { anyResponse } from '../../wire/chat/fixtures/arbitrary-response.ts';
import { orderItems } from './order-items.ts';

function ordered(events: readonly ModelEvent[]): readonly ModelEvent[] {
  const order = orderItems();
  const told = events.flatMap((event) => order([event]));
  expect(orderItems()(events)).toEqual(told);
  return told;
}

const doneItems = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));

/** Returns the text of all items of a type, in order. */
const textOf = (items: readonly Item[], type: 'message' | 'reasoning') =>
  items
    .flatMap((item) => (item.type === type ? (item as { readonly content: readonly { text: string }[] }).content : []))
    .map(({ text }) => text)
    .join('');

/** Returns events that concern an item other than the open one. */
function overlaps(events: readonly ModelEvent[]): readonly ModelEvent[] {
  let open: unknown;
  return events.filter((event) => {
    if (event.type === 'item.started') {
      const before = open;
      open = event.item.id;
      return before !== undefined;
    }
    if ('itemId' in event) return event.itemId !== open;
    if (event.type !== 'item.done') return false;
    // An item without a beginning is sent whole.
    const isForeign = open !== undefined && open !== event.item.id;
    open = undefined;
    return isForeign;
  });
}

describe('orderItems', () => {
  const message = (text: string, id = 'm'): Item => ({
    type: 'message',
    id,
    role: 'assistant',
    content: [{ type: 'output_text', text }],
  });
  const thought = (text: string | null, encrypted_content: string | null = null, id = 'r'): Item => ({
    type: 'reasoning',
    id,
    summary: [],
    content: text === null ? null : [{ type: 'reasoning_text', text }],
    encrypted_content,
  });
  const call = (id: string): Item => ({ type: 'function_call', id, name: 'f', arguments: '{}', call_id: id });
  const started = (type: Item['type'], id: string): ModelEvent => ({ type: 'item.started', item: { type, id } });
  const says = (delta: string): ModelEvent => ({ type: 'text.delta', itemId: 'm', delta });
  const thinks = (delta: string): ModelEvent => ({ type: 'reasoning.delta', itemId: 'r', kind: 'raw', delta });
  const types = (itemId: string): ModelEvent => ({ type: 'input.delta', itemId, delta: '{}' });
  const done = (item: Item): ModelEvent => ({ type: 'item.done', item });
  const end: ModelEvent = { type: 'completed', responseId: 'x', usage: null, endTurn: null };

  test('completes reasoning before the message, the message before the first call, and calls one after another', () => {
    const events = [
      started('reasoning', 'r'),
      thinks('hm'),
      started('message', 'm'),
      says('I look.'),
      started('function_call', 'a'),
      types('a'),
      started('function_call', 'b'),
      types('b'),
      done(thought('hm')),
      done(message('I look.')),
      done(call('a')),
      done(call('b')),
      end,
    ];
    expect(ordered(events)).toEqual([
      ...[started('reasoning', 'r'), thinks('hm'), done(thought('hm'))],
      ...[started('message', 'm'), says('I look.'), done(message('I look.'))],
      ...[started('function_call', 'a'), types('a'), done(call('a'))],
      done(call('b')),
      end,
    ]);
  });

  test('sends state that is only known at the end as reasoning of its own', () => {
    const events = [thinks('hm'), started('function_call', 'a'), done(thought('hm', 'sealed')), done(call('a')), end];
    expect(doneItems(ordered(events))).toEqual([thought('hm'), call('a'), thought(null, 'sealed', 'r-2')]);
  });

  test('sends text and thoughts that come too late after the items before them', () => {
    const events = [thinks('hm'), says('I '), thinks(', yes'), says('look.'), started('function_call', 'a'), says('!')];
    const ends = [done(thought('hm, yes')), done(message('I look.!')), done(call('a')), end];
    expect(ordered([...events, ...ends])).toEqual([
      ...[thinks('hm'), done(thought('hm'))],
      ...[says('I '), says('look.'), done(message('I look.'))],
      started('function_call', 'a'),
      done(call('a')),
      done(thought(', yes', null, 'r-2')),
      done(message('!', 'm-2')),
      end,
    ]);
  });

  test('ignores white space after a call', () => {
    const events = [says('I look.'), started('function_call', 'a'), says('\n'), done(message('I look.\n'))];
    expect(doneItems(ordered([...events, done(call('a')), end]))).toEqual([message('I look.'), call('a')]);
  });

  test('a call that was cut off holds nothing back', () => {
    const events = [started('function_call', 'a'), says('Oh'), done(message('Oh'))];
    const cut: ModelEvent = { type: 'incomplete', responseId: 'x', reason: 'max_output_tokens', usage: null };
    expect(ordered([...events, cut])).toEqual([started('function_call', 'a'), done(message('Oh')), cut]);
  });

  test('leaves items alone that follow each other, and loses nothing of those that do not', () => {
    fc.assert(
      fc.property(anyResponse, (events) => {
        const told = ordered(events);
        const [before, after] = [doneItems(events), doneItems(told)];
        const isWhole = told.at(-1)?.type === 'completed';
        if (isWhole) expect(overlaps(told)).toEqual([]);
        if (isWhole && overlaps(events).length === 0) expect(after).toEqual(before);
        expect(after.filter(isCall)).toEqual(before.filter(isCall));
        expect(told.at(-1)).toEqual(events.at(-1));
        if (told.at(-1)?.type === 'failed') return;
        expect(textOf(after, 'reasoning')).toBe(textOf(before, 'reasoning'));
        expect(textOf(after, 'message').trimEnd()).toBe(textOf(before, 'message').trimEnd());
        expect(ordered(told)).toEqual(told);
      }),
      { numRuns: runs(500) },
    );
  });
});
