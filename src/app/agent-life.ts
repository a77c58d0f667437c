import { UserError } from '../base/errors.ts';
import type { Thread } from './thread/thread.ts';

/** The work of an agent that is going on and the threads that are open, until the agent is closed. */
export interface AgentLife {
  /** Throws `UserError` when the agent is closed. */
  assertOpen(): void;
  /** Runs work, for which `close` waits. Throws `UserError` when the agent is closed. */
  run<T>(work: () => Promise<T>): Promise<T>;
  readonly threads: Set<Thread>;
  /** Closes the threads, then what they share. A second call waits for the first. */
  close(): Promise<void>;
}

/** `end` is called once, when no thread is open any more. */
export function createAgentLife(end: () => Promise<void>): AgentLife {
  const threads = new Set<Thread>();
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  function assertOpen(): void {
    if (closing !== undefined)
      throw new UserError('closed', 'This agent is closed. Make another one with createAgent().');
  }

  async function closeAll(): Promise<void> {
    const closed = [...threads].map((thread) => thread.close());
    await Promise.allSettled(running);
    // Threads that were being opened are open now.
    closed.push(...[...threads].map((thread) => thread.close()));
    await Promise.allSettled(closed);
    await end();
    // A thread that could not be closed says why.
    await Promise.all(closed);
  }

  return {
    assertOpen,
    async run(work) {
      assertOpen();
      const done = work();
      running.add(done);
      try {
        return await done;
      } finally {
        running.delete(done);
      }
    },
    threads,
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}
