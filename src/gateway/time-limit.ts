import { ModelError } from '../base/errors.ts';
import type { Incoming } from './client-io.ts';

/** The time that an exchange may take. */
export interface TimeLimit {
  /** Aborts when the client leaves or the time is over. */
  readonly signal: AbortSignal;
  /** Resolves when the signal aborts. */
  aborted(): Promise<void>;
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
  let waiting: (() => void)[] = [];
  const abort = () => {
    controller.abort(ABORTED);
    for (const resolve of waiting) resolve();
    waiting = [];
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
    aborted: () =>
      new Promise((resolve) => {
        if (signal.aborted) resolve();
        else waiting.push(resolve);
      }),
    expired: () => error,
    abort,
    stop: () => clearTimeout(timer),
  };
}

/** One for all: the error that Node would make for each holds a stack, and nobody looks at it. */
const ABORTED = new ModelError('aborted', 'The exchange is over.');
