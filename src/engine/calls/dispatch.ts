import { setMaxListeners } from 'node:events';
import type { CallItem } from '../../base/item.ts';
import { openAsks } from '../state/thread-state.ts';
import type { CallOutcome, Turn } from '../turn-setup.ts';
import { showTurnDiff } from './patch-item.ts';
import { perform } from './perform.ts';
import type { AnsweredAsk } from './perform-options.ts';
import { createReadWriteLock } from './read-write-lock.ts';

/** The calls of one response. Each starts as it arrives, and their outputs keep the order of the calls. */
export interface Dispatch {
  readonly count: number;
  /** Starts a call. `answered` is the answer to its suspended question. */
  start(call: CallItem, answered?: AnsweredAsk): void;
  /** Refuses calls that have not started yet. The reason is their output. */
  refuseWaiting(reason: string): void;
  /**
   * Waits for every call and records the outputs in the order of the calls. To be called once, when the response has
   * ended. Throws `TurnSuspended` if a question is open.
   */
  settle(): Promise<void>;
}

/** Thrown to end a turn that waits for answers of the user. */
export class TurnSuspended extends Error {}

export function createDispatch(turn: Turn): Dispatch {
  const lock = createReadWriteLock();
  const outcomes: Promise<CallOutcome | null>[] = [];
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

  async function run(call: CallItem, index: number, answered?: AnsweredAsk): Promise<CallOutcome | null> {
    const options = { lock, waiting: waiting.signal, outputDue: () => outputDue(index) };
    const outcome = await performCall(turn, call, answered ? { ...options, answered } : options);
    if (!outcome) return null;
    turn.ledger.add({ toolMs: outcome.metadata.duration_ms });
    // A call that ends early is recorded now, so that a crash before its output is due does not lose it.
    if (next !== index) await turn.note({ type: 'oxbow', payload: { kind: 'call.finished', ...outcome } });
    return outcome;
  }

  return {
    get count() {
      return outcomes.length;
    },
    start(call, answered) {
      const outcome = run(call, outcomes.length, answered);
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
      await showTurnDiff(turn);
      if (openAsks(turn.state).length > 0) throw new TurnSuspended();
    },
  };
}
