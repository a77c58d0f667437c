import { messageOf } from '../../base/errors.ts';
import { Diverged } from './divergence.ts';
import { notMade, type Stage } from './stage.ts';

/** How often it is looked whether anything was written since. Nothing in a replay takes time. */
const LOOK_MS = 2500;

/** Waits for work on a stage and for what it left under way. Throws `Diverged`, also when lines are left over. */
export async function unlessStalled(stage: Stage, work: Promise<void>): Promise<void> {
  const { recording } = stage;
  let taken = -1;
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      if (recording.taken === taken) resolve();
      taken = recording.taken;
    }, LOOK_MS);
  });
  let why: unknown;
  const done = work.catch((error: unknown) => {
    why = error;
  });
  try {
    await Promise.race([done.then(stage.caughtUp), stage.diverged, stalled]);
  } finally {
    clearInterval(timer);
  }
  if (why instanceof Diverged) throw why;
  const { left } = recording;
  if (left) throw notMade(left, why === undefined ? undefined : messageOf(why));
}
