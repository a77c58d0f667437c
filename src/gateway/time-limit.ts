import { ModelError } from '../base/errors.ts';
import type { Incoming } from './client-io.ts';

/** The time that an exchange may take. */
export interface TimeLimit {
  /** Aborts when the client leaves or the time is over. */
  readonly signal: AbortSignal;
  /** What the work gives; undefined when the signal aborts before. Nothing of it is kept. */
  orAborted<T>(work: Promise<T>): Promise<T | undefined>;
  /** The error to tell of, once the time is over. */
  readonly expired: () => ModelError | undefined;
  /** Closes what is still open of the exchange. */
  abort(): void;
  /** The exchange is over. */
  stop(): void;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

export function startTimeLimit(client: Pick<Incoming, 'left' | 'onLeft'>, ms: number): TimeLimit {
  const controller = new AbortController();
  const { signal } = controller;
  let error: ModelError | undefined;
  const waiting = new Set<() => void>();
  const abort = () => {
    controller.abort(ABORTED);
    for (const wake of waiting) wake();
  };
  const timer = setTimeout(
    () => {
      const said = `The exchange took longer than the ${Math.round(ms / 1000)} seconds that this gateway allows.`;
      error = new ModelError('idle_timeout', said);
      abort();
    },
    Math.min(ms, MAX_TIMER_MS),
  );
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
    stop: () => clearTimeout(timer),
  };
}

/** One for all: the error that Node would make for each holds a stack, and nobody looks at it. */
const ABORTED = new ModelError('aborted', 'The exchange is over.');
