import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Event } from '../../base/event.ts';
import { createEventQueue } from './event-queue.ts';
import { mergeDeltas } from './stream-turn.ts';

const itemId = fc.constantFrom('a', 'b');
const delta = fc.string({ maxLength: 3 });
const body = fc.oneof(
  fc.record({ type: fc.constant('text.delta'), itemId, delta }),
  fc.record({ type: fc.constant('reasoning.delta'), itemId, kind: fc.constantFrom('summary', 'raw'), delta }),
  fc.record({ type: fc.constant('command.output'), itemId, text: delta }),
  fc.record({ type: fc.constant('reasoning.section'), itemId }),
  fc.record({ type: fc.constant('turn.started') }),
);

/** Returns the events with neighbouring pieces of a text put together. */
function normal(events: readonly Event[]): unknown[] {
  const all: Event[] = [];
  for (const event of events) {
    const last = all.at(-1);
    const merged = last && mergeDeltas(last, event);
    if (merged) all[all.length - 1] = merged;
    else all.push(event);
  }
  return all;
}

test('a slow reader gets every text in its order, and the last number', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(body, { maxLength: 300 }), fc.nat(10), async (bodies, early) => {
      const events = bodies.map((one, n) => ({ v: 1, seq: n + 1, threadId: 't', turnId: 'u', ...one }) as Event);
      const queue = createEventQueue(mergeDeltas);
      const values = queue.values();
      const read: Event[] = [];
      for (const event of events.slice(0, early)) {
        queue.push(event);
        const { value } = await values.next();
        if (value) read.push(value);
      }
      for (const event of events.slice(early)) queue.push(event);
      queue.end();
      for await (const event of values) read.push(event);
      expect(normal(read)).toEqual(normal(events));
      for (const [index, { seq }] of read.entries()) expect(seq).toBeGreaterThan(read[index - 1]?.seq ?? 0);
    }),
    { numRuns: runs(200) },
  );
});

test('the pieces of one text that wait become one event', () => {
  const piece = (seq: number): Event => ({
    ...{ v: 1, seq, threadId: 't', turnId: 'u' },
    ...{ type: 'text.delta', itemId: 'a', delta: `${seq} ` },
  });
  expect(mergeDeltas(piece(1), piece(2))).toMatchObject({ seq: 2, delta: '1 2 ' });
  expect(mergeDeltas(piece(1), { ...piece(2), itemId: 'b' } as Event)).toBeUndefined();
});
