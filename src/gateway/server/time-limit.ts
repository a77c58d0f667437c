import { ModelError } from '../../base/errors.ts';
import type { EndSignal } from '../../model/end-signal.ts';
import type { Incoming } from './client-io.ts';
import { createDeadlines, type Deadlines } from './deadlines.ts';

/** The time that an exchange may take. */
export interface TimeLimit {
  /** Aborts when the client leaves or the time is over. */
  readonly signal: EndSignal;
  /** Returns the result of the work; undefined when the signal aborts first. Keeps no reference to the work. */
  orAborted<T>(work: Promise<T>): Promise<T | undefined>;
  /** Returns the error to report once the time is over. */
  readonly expired: () => ModelError | undefined;
  /** Aborts everything that the exchange still has open. */
  abort(): void;
  /** Ends the time limit: the exchange is over. */
  stop(): void;
}

export type StartTimeLimit = (client: Pick<Incoming, 'left' | 'onLeft'>, ms: number) => TimeLimit;

/** Returns a function that starts time limits. Limits of the same length share one timer. */
export function createTimeLimits(): StartTimeLimit {
  /** By their length. There are as many lengths as settings that were loaded. */
  const byLength = new Map<number, Deadlines>();
  return (client, ms) => {
    const deadlines = byLength.get(ms) ?? createDeadlines(ms);
    byLength.set(ms, deadlines);
    return startTimeLimit(client, ms, deadlines);
  };
}

function startTimeLimit(client: Pick<Incoming, 'left' | 'onLeft'>, ms: number, deadlines: Deadlines): TimeLimit {
  let error: ModelError | undefined;
  const waiting = new Set<() => void>();
  const signal: EndSignal & { aborted: boolean } = {
    aborted: false,
    addEventListener: (_, listener) => void waiting.add(listener),
    removeEventListener: (_, listener) => void waiting.delete(listener),
  };
  const abort = () => {
    if (signal.aborted) return;
    signal.aborted = true;
    for (const wake of waiting) wake();
  };
  const deadline = deadlines.set(() => {
    const said = `The exchange took longer than the ${Math.round(ms / 1000)} seconds that this gateway allows.`;
    error = new ModelError('idle_timeout', said);
    abort();
  });
  if (client.left) abort();
  else client.onLeft(abort);
  return {
    signal,
    orAborted: (work) =>
      new Promise((resolve, reject) => {
        const wake = () => resolve(undefined);
        const forget = () => waiting.delete(wake);
        if (signal.aborted) wake();
        else waiting.add(wake);
        void work.then(resolve, reject).finally(forget);
      }),
    expired: () => error,
    abort,
    stop: () => deadlines.callOff(deadline),
  };
}
