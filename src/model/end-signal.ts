/** What may end an exchange early. Any `AbortSignal` is one, but to make one takes longer than a short exchange should. */
export interface EndSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The same for those who must have an `AbortSignal`. */
export function abortSignalOf(signal: EndSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener('abort', () => controller.abort());
  return controller.signal;
}
