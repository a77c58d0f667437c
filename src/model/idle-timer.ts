export interface IdleTimer {
  start(ms: number, onIdle: () => void): void;
  stop(): void;
}

/**
 * Returns one timer for all waits of a response: reading the clock costs far less than setting a timer for each wait.
 */
export function createIdleTimer(): IdleTimer {
  let timer: NodeJS.Timeout | undefined;
  let armedMs = 0;
  let ends = 0;
  let expire = () => {};
  const arm = (ms: number) => {
    // The connection keeps the process alive, not the timer, which also runs between two waits.
    timer = setTimeout(check, clampTimer(ms)).unref();
  };
  const check = () => {
    timer = undefined;
    const left = ends - performance.now();
    if (left > 0) arm(Math.ceil(left));
    else expire();
  };
  return {
    start(ms, onIdle) {
      expire = onIdle;
      ends = performance.now() + ms;
      if (timer !== undefined && ms >= armedMs) return;
      clearTimeout(timer);
      armedMs = ms;
      arm(ms);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Clamps a time to the range of timers: a timer beyond its range fires at once. */
export function clampTimer(ms: number): number {
  return Math.min(Math.max(ms, 1), MAX_TIMER_MS);
}
