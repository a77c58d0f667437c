import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelEvent } from '../../base/model.ts';
import { joinDeltas } from './join-deltas.ts';

const text = (delta: string, itemId = 'm'): ModelEvent => ({ type: 'text.delta', itemId, delta });
const thought = (delta: string, kind: 'raw' | 'summary'): ModelEvent => ({
  type: 'reasoning.delta',
  itemId: 'r',
  kind,
  delta,
});

/** Returns the events that are passed on, for events that came in some reads. */
function told(reads: readonly (readonly ModelEvent[])[]): readonly ModelEvent[] {
  const joiner = joinDeltas();
  return reads.flatMap((events) => [...events.flatMap((event) => joiner.push(event)), ...joiner.settle()]);
}

describe('joinDeltas', () => {
  test('passes the first piece on at once, and joins the pieces that came with it', () => {
    expect(joinDeltas().push(text('a'))).toEqual([text('a')]);
    expect(told([[text('a'), text('b'), text('c')]])).toEqual([text('a'), text('bc')]);
    expect(told([[text('a')], [text('b')], [text('c'), text('d')]])).toEqual([text('a'), text('b'), text('cd')]);
  });

  test('does not join pieces of different texts, or across another event', () => {
    const done: ModelEvent = { type: 'reasoning.section', itemId: 'r' };
    const read = [thought('a', 'raw'), thought('b', 'raw'), thought('c', 'summary'), done, thought('d', 'summary')];
    expect(told([read])).toEqual(read);
    expect(told([[text('a'), text('b', 'n'), text('c')]])).toEqual([text('a'), text('b', 'n'), text('c')]);
  });

  test('keeps the text and its order, for any cuts', () => {
    const event = fc.oneof(
      fc.tuple(fc.string({ minLength: 1 }), fc.constantFrom('m', 'n')).map(([delta, id]) => text(delta, id)),
      fc
        .tuple(fc.string({ minLength: 1 }), fc.constantFrom('raw' as const, 'summary' as const))
        .map(([delta, kind]) => thought(delta, kind)),
      fc.constant<ModelEvent>({ type: 'reasoning.section', itemId: 'r' }),
    );
    const written = (events: readonly ModelEvent[]) => {
      const said: [key: string, words: string][] = [];
      for (const one of events) {
        const key = JSON.stringify({ ...one, delta: undefined });
        const last = said.at(-1);
        if ('delta' in one && last?.[0] === key) last[1] += one.delta;
        else said.push([key, 'delta' in one ? one.delta : '']);
      }
      return said;
    };
    fc.assert(
      fc.property(fc.array(fc.array(event)), (reads) => {
        expect(written(told(reads))).toEqual(written(reads.flat()));
      }),
    );
  });
});
