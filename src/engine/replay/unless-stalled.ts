import { messageOf } from '../../base/errors.ts';
import { Diverged } from './divergence.ts';
import { notMade, type Playback } from './playback.ts';

/** Interval at which progress is checked. Nothing in a replay takes that long. */
const LOOK_MS = 2500;

/**
 * Waits for work of a playback, and for other work that it started. Throws `Diverged`, also if expected lines were not
 * written.
 */
export async function unlessStalled(playback: Playback, work: Promise<void>): Promise<void> {
  const { expected } = playback;
  let taken = -1;
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      if (expected.taken === taken) resolve();
      taken = expected.taken;
    }, LOOK_MS);
  });
  let why: unknown;
  const done = work.catch((error: unknown) => {
    why = error;
  });
  try {
    await Promise.race([done.then(playback.caughtUp), playback.diverged, stalled]);
  } finally {
    clearInterval(timer);
  }
  if (why instanceof Diverged) throw why;
  const { left } = expected;
  if (left) throw notMade(left, why === undefined ? undefined : messageOf(why));
}
