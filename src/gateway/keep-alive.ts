/** Tells when nothing was written for a while, again and again. */
export interface KeepAlive {
  /** Something was written. */
  touch(): void;
  stop(): void;
}

export function createKeepAlive(onSilence: () => void, ms: number = SILENCE_MS): KeepAlive {
  const timer = setInterval(onSilence, ms);
  return { touch: () => void timer.refresh(), stop: () => clearInterval(timer) };
}

/** Shorter than the shortest time after which proxies close a silent connection, as a rule. */
const SILENCE_MS = 15_000;

/** One line, not two: an empty line would end an event, and some clients take that for an empty one. */
export const PING = ': ping\n';
