import { setMaxListeners } from 'node:events';
import type { CallItem } from '../../base/item.ts';
import type { CallOutcome, Turn } from '../turn-setup.ts';
import { perform } from './perform.ts';
import { createReadWriteLock } from './read-write-lock.ts';

/** The calls of one response. Each starts as it arrives, and their outputs keep the order of the calls. */
export interface Dispatch {
  readonly count: number;
  start(call: CallItem): void;
  /** Refuses calls that have not started yet. The reason is their output. */
  refuseWaiting(reason: string): void;
  /**
   * Waits for every call and records the outputs in the order of the calls. To be called once, when the response has
   * ended.
   */
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
  /** Index of the call whose output is recorded next, or -1 while the response is still arriving. */
  let next = -1;
  const waitingForOutput = new Map<number, () => void>();
  const performCall = turn.thread.perform ?? perform;

  async function outputDue(index: number): Promise<void> {
    if (next !== index) await new Promise<void>((resolve) => waitingForOutput.set(index, resolve));
  }

  async function run(call: CallItem, index: number): Promise<CallOutcome> {
    const outcome = await performCall(turn, call, { lock, waiting: waiting.signal, outputDue: () => outputDue(index) });
    turn.ledger.add({ toolMs: outcome.metadata.duration_ms });
    // A call that ends early is recorded now, so that a crash before its output is due does not lose it.
    if (next !== index) await turn.note({ type: 'oxbow', payload: { kind: 'call.finished', ...outcome } });
    return outcome;
  }

  return {
    get count() {
      return outcomes.length;
    },
    start(call) {
      const outcome = run(call, outcomes.length);
      // `settle` awaits the outcome later. Until then a failure, such as a full disk, must not end the process.
      outcome.catch(() => {});
      outcomes.push(outcome);
    },
    refuseWaiting(reason) {
      waiting.abort(reason);
    },
    async settle() {
      for (next = 0; next < outcomes.length; next++) {
        waitingForOutput.get(next)?.();
        const outcome = await outcomes[next];
        if (outcome) await turn.note({ type: 'response_item', payload: outcome.output, metadata: outcome.metadata });
      }
      await turn.settled();
      turn.signal.removeEventListener('abort', stopWaiting);
    },
  };
}
