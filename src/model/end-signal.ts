/**
 * A signal that may end an exchange early. Any `AbortSignal` is one, but creating one takes too long for a short
 * exchange.
 */
export interface EndSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Returns an `AbortSignal` that aborts with the signal. */
export function abortSignalOf(signal: EndSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener('abort', () => controller.abort());
  return controller.signal;
}
