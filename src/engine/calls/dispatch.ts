import { setMaxListeners } from 'node:events';
import type { CallItem } from '../../base/item.ts';
import type { CallOutcome, Turn } from '../turn-setup.ts';
import { perform } from './perform.ts';
import { createReadWriteLock } from './read-write-lock.ts';

/** The calls of one response: started as they come, answered in the order they were made. */
export interface Dispatch {
  readonly count: number;
  start(call: CallItem): void;
  /** Calls that have not started yet will not; this text is their output. */
  refuseWaiting(reason: string): void;
  /** Waits for every call and records the outputs in call order. Call once, when the response has ended. */
  settle(): Promise<void>;
}

export function createDispatch(turn: Turn): Dispatch {
  const lock = createReadWriteLock();
  const outcomes: Promise<CallOutcome>[] = [];
  const waiting = new AbortController();
  setMaxListeners(0, waiting.signal);
  const stopWaiting = () => waiting.abort(turn.signal.reason);
  if (turn.signal.aborted) stopWaiting();
  turn.signal.addEventListener('abort', stopWaiting, { once: true });
  /** The call whose output is next to be recorded; none while the response is still coming. */
  let next = -1;
  const waitingForPlace = new Map<number, () => void>();
  const performCall = turn.thread.perform ?? perform;

  async function placeCame(index: number): Promise<void> {
    if (next !== index) await new Promise<void>((resolve) => waitingForPlace.set(index, resolve));
  }

  async function run(call: CallItem, index: number): Promise<CallOutcome> {
    const outcome = await performCall(turn, call, { lock, waiting: waiting.signal, placeCame: () => placeCame(index) });
    turn.ledger.add({ toolMs: outcome.metadata.duration_ms });
    // A call that ends out of turn is put on disk now, so that a crash before its place comes does not lose it.
    if (next !== index) await turn.note({ type: 'oxbow', payload: { kind: 'call.finished', ...outcome } });
    return outcome;
  }

  return {
    get count() {
      return outcomes.length;
    },
    start(call) {
      const outcome = run(call, outcomes.length);
      // It is looked at when its turn comes; until then a failure, such as a full disk, must not end the process.
      outcome.catch(() => {});
      outcomes.push(outcome);
    },
    refuseWaiting(reason) {
      waiting.abort(reason);
    },
    async settle() {
      for (next = 0; next < outcomes.length; next++) {
        waitingForPlace.get(next)?.();
        const outcome = await outcomes[next];
        if (outcome) await turn.note({ type: 'response_item', payload: outcome.output, metadata: outcome.metadata });
      }
      await turn.settled();
      turn.signal.removeEventListener('abort', stopWaiting);
    },
  };
}
