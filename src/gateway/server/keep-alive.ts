/** Tells when nothing was written for a while, again and again, once something was. */
export interface KeepAlive {
  /** Something was written. */
  touch(): void;
  stop(): void;
}

export function createKeepAlive(onSilence: () => void, ms: number = SILENCE_MS): KeepAlive {
  let written = 0;
  let timer: NodeJS.Timeout | undefined;
  // To look at the clock costs far less than to put a timer off, and much is written.
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

/** Shorter than the shortest time after which proxies close a silent connection, as a rule. */
const SILENCE_MS = 15_000;
