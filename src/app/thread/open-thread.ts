import type { Log } from '../../base/log.ts';
import type { TakenThread } from '../../base/thread-store.ts';
import { openThread } from '../../engine/thread.ts';
import { ephemeralLog } from '../../store/memory-log.ts';
import type { AgentParts, ThreadOptions } from '../agent-parts.ts';
import { setUpThread } from './set-up-thread.ts';
import { type Thread, wrapThread } from './thread.ts';
import { usableLines } from './usable-lines.ts';

/** Opens the threads of an agent. */
export interface ThreadOpener {
  /** Begins a thread. */
  start(options: ThreadOptions): Promise<Thread>;
  /** Takes a thread of the store and continues it. */
  take(id: string, options: ThreadOptions): Promise<Thread>;
}

/** Returns the opener of an agent's threads. A thread is in the set `threads` as long as it is open. */
export function createOpener(parts: AgentParts, threads: Set<Thread>): ThreadOpener {
  const { config, world, store, pace } = parts;

  async function open(id: string, log: Log, options: ThreadOptions, taken?: TakenThread): Promise<Thread> {
    try {
      const transport = await parts.transport();
      const { setup, listen } = await setUpThread(parts, id, log, options);
      const onWarning = (message: string) => setup.emit({ type: 'warning', code: 'thread', message }, null);
      const onClose = () => {
        transport.flush?.();
        threads.delete(thread);
      };
      const engine = await openThread(setup, taken && usableLines(taken, onWarning));
      const thread = wrapThread(engine, { cwd: config.cwd, listen, onClose });
      threads.add(thread);
      return thread;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  return {
    async start(options) {
      await pace.begin();
      const id = world.uuid();
      return open(id, options.ephemeral ? ephemeralLog(world.now) : store.create(id), options);
    },
    async take(id, options) {
      await pace.begin();
      const taken = await store.take(id);
      return open(id, taken.log, options, taken);
    },
  };
}
