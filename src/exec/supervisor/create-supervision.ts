import { within } from '../process/within.ts';
import { createSupervisor, type Supervisor } from './create-supervisor.ts';

/** The supervisor of a thread's commands: started when it is first asked for, and again when it was ended. */
export interface Supervision {
  /** Undefined where none can run. Never rejects. */
  get(): Promise<Supervisor | undefined>;
  /** Ends it if nothing is left of any command. */
  rest(): void;
  /** Ends it with all that its commands started, however long ago these ended. Waits for that, at most `ms`. */
  close(ms: number): Promise<void>;
  /** The same, without waiting. */
  closeSync(): void;
}

export function createSupervision(perl: string): Supervision {
  let starting: Promise<Supervisor | undefined> | undefined;
  let running: Supervisor | undefined;
  let closed = false;
  /** Supervisors that have been started and are not known to be gone. */
  const ending = new Set<Promise<void>>();

  async function start(): Promise<Supervisor | undefined> {
    const made = await createSupervisor(perl);
    if (made) {
      const gone = made.gone.then(() => void ending.delete(gone));
      ending.add(gone);
    }
    if (closed) made?.closeSync();
    else running = made;
    return made;
  }

  return {
    get() {
      if (running?.isUsable() === false) starting = undefined;
      starting ??= start();
      return starting;
    },
    rest() {
      if (!running?.isIdle()) return;
      running.closeSync();
      running = undefined;
      starting = undefined;
    },
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
