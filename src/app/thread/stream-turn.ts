import type { Event } from '../../base/event.ts';
import { createEventQueue } from './event-queue.ts';

/** Runs a turn and returns its events as they happen. */
export async function streamTurn<R>(
  run: (signal: AbortSignal) => Promise<R>,
  outer: AbortSignal | undefined,
  listen: (listener: (event: Event) => void) => () => void,
): Promise<{ readonly events: AsyncGenerator<Event, void, undefined>; readonly result: Promise<R> }> {
  const queue = createEventQueue(mergeDeltas);
  const left = new AbortController();
  const stop = listen(queue.push);
  const result = run(outer ? AbortSignal.any([outer, left.signal]) : left.signal).finally(() => {
    stop();
    queue.end();
  });
  // A program that only reads the events may ignore the result.
  result.catch(() => {});
  return { events: untilLeft(queue.values(), left, result), result };
}

/** Returns the events of a turn. Leaving them at any moment, before the first too, interrupts the turn. */
function untilLeft(
  events: AsyncGenerator<Event, void, undefined>,
  left: AbortController,
  result: Promise<unknown>,
): AsyncGenerator<Event, void, undefined> {
  async function* all(): AsyncGenerator<Event, void, undefined> {
    yield* events;
    await result;
  }
  const inner = all();
  async function leave(): Promise<void> {
    left.abort(new Error('interrupted'));
    await result.catch(() => {});
  }
  return {
    next: () => inner.next(),
    async return() {
      await leave();
      return inner.return();
    },
    async throw(error) {
      await leave();
      return inner.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * Merges two pieces of the same text, so that events which wait for a slow reader take no more memory than their texts.
 * The event has the `seq` of the later piece. Returns undefined for other events.
 */
export function mergeDeltas(last: Event, next: Event): Event | undefined {
  if (!('itemId' in last) || !('itemId' in next) || last.itemId !== next.itemId) return undefined;
  if (last.type === 'text.delta' && next.type === 'text.delta') return { ...next, delta: last.delta + next.delta };
  if (last.type === 'command.output' && next.type === 'command.output') return { ...next, text: last.text + next.text };
  if (last.type !== 'reasoning.delta' || next.type !== 'reasoning.delta' || last.kind !== next.kind) return undefined;
  return { ...next, delta: last.delta + next.delta };
}
