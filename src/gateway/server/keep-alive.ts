/** Watches for silence: calls a function each time that nothing was written for a while, from the first touch on. */
export interface KeepAlive {
  /** Notes that something was written. */
  touch(): void;
  stop(): void;
}

export function createKeepAlive(onSilence: () => void, ms: number): KeepAlive {
  let written = 0;
  let timer: NodeJS.Timeout | undefined;
  // The timer is not reset with each write: there are many writes, and reading the clock costs far less.
  const check = (): void => {
    const now = performance.now();
    const left = written + ms - now;
    timer = setTimeout(check, left > 0 ? Math.ceil(left) : ms);
    if (left > 0) return;
    written = now;
    onSilence();
  };
  return {
    touch() {
      written = performance.now();
      timer ??= setTimeout(check, ms);
    },
    stop: () => clearTimeout(timer),
  };
}
