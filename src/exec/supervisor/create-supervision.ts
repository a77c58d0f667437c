import { within } from '../process/within.ts';
import { createSupervisor, type Supervisor } from './create-supervisor.ts';

/** Supervision starts the supervisor of a thread's commands when it is first needed, and again after its end. */
export interface Supervision {
  /** Resolves to undefined where no supervisor can run. Never rejects. */
  get(): Promise<Supervisor | undefined>;
  /** Ends the supervisor if no process of any command is left. */
  rest(): void;
  /** Ends the supervisor with everything that its commands ever started. Waits at most `ms`. */
  close(ms: number): Promise<void>;
  /** Does the same without waiting. */
  closeSync(): void;
}

export function createSupervision(perl: string): Supervision {
  let starting: Promise<Supervisor | undefined> | undefined;
  let running: Supervisor | undefined;
  let closed = false;
  let isResting = false;
  /** Supervisors that have been started and may still run. */
  const ending = new Set<Promise<void>>();

  async function start(): Promise<Supervisor | undefined> {
    // The last process of a command may outlive it a little, also into the rest of its thread.
    const made = await createSupervisor(perl, () => isResting && rest());
    if (made) {
      const gone = made.gone.then(() => void ending.delete(gone));
      ending.add(gone);
    }
    if (closed) made?.closeSync();
    else running = made;
    // The rest may have begun during the start.
    if (isResting) rest();
    return made;
  }

  function rest(): void {
    isResting = true;
    if (!running?.isIdle()) return;
    running.closeSync();
    running = undefined;
    starting = undefined;
  }

  return {
    get() {
      isResting = false;
      if (running?.isUsable() === false) starting = undefined;
      starting ??= start().catch(() => {
        starting = undefined;
        return undefined;
      });
      return starting;
    },
    rest,
    async close(ms) {
      closed = true;
      running?.closeSync();
      await within(
        ms,
        (starting ?? Promise.resolve()).then(() => Promise.all(ending)),
      );
    },
    closeSync() {
      closed = true;
      running?.closeSync();
    },
  };
}
