import { clampTimer } from '../../model/idle-timer.ts';

/** A function that is called at a time, unless it is called off before. */
export interface Deadline {
  readonly at: number;
  readonly onTime: () => void;
}

/**
 * Deadlines that are all the same time away when they are set. They end in order, so one timer is enough for all of
 * them.
 */
export interface Deadlines {
  set(onTime: () => void): Deadline;
  callOff(deadline: Deadline): void;
}

export function createDeadlines(ms: number): Deadlines {
  const waiting = new Set<Deadline>();
  let timer: NodeJS.Timeout | undefined;
  const arm = (left: number) => {
    // A deadline does not keep the process alive. The exchanges do.
    timer = setTimeout(check, clampTimer(Math.ceil(left))).unref();
  };
  const check = () => {
    const now = performance.now();
    for (const deadline of waiting) {
      if (deadline.at > now) break;
      waiting.delete(deadline);
      deadline.onTime();
    }
    timer = undefined;
    const [first] = waiting;
    if (first !== undefined) arm(first.at - now);
  };
  return {
    set(onTime) {
      const deadline = { at: performance.now() + ms, onTime };
      waiting.add(deadline);
      if (timer === undefined) arm(ms);
      return deadline;
    },
    callOff: (deadline) => void waiting.delete(deadline),
  };
}
