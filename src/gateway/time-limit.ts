import { ModelError } from '../base/errors.ts';

/** The time that an exchange may take. */
export interface TimeLimit {
  /** Aborts when the client leaves or the time is over. */
  readonly signal: AbortSignal;
  /** Resolves when the signal aborts. */
  readonly aborted: Promise<void>;
  /** The error to tell of, once the time is over. */
  readonly expired: () => ModelError | undefined;
  /** The exchange is over. What is still open of it is closed. */
  stop(): void;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

export function startTimeLimit(client: AbortSignal, ms: number): TimeLimit {
  const controller = new AbortController();
  let error: ModelError | undefined;
  const timer = setTimeout(
    () => {
      const said = `The exchange took longer than the ${Math.round(ms / 1000)} seconds that this gateway allows.`;
      error = new ModelError('idle_timeout', said);
      controller.abort();
    },
    Math.min(ms, MAX_TIMER_MS),
  );
  const onLeft = () => controller.abort();
  if (client.aborted) onLeft();
  client.addEventListener('abort', onLeft, { once: true });
  return {
    signal: controller.signal,
    aborted: new Promise((resolve) => {
      controller.signal.addEventListener('abort', () => resolve(), { once: true });
    }),
    expired: () => error,
    stop() {
      clearTimeout(timer);
      client.removeEventListener('abort', onLeft);
      controller.abort();
    },
  };
}
