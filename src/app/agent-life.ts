import { UserError } from '../base/errors.ts';
import { runtimeFault } from '../base/runtime-fault.ts';
import type { Thread } from './thread/thread.ts';

/** Running work and open threads of an agent, until the agent is closed. */
export interface AgentLife {
  /** Throws `UserError` when the agent is closed. */
  assertOpen(): void;
  /** Runs work that `close` waits for. Throws `UserError` when the agent is closed. */
  run<T>(work: () => Promise<T>): Promise<T>;
  readonly threads: Set<Thread>;
  /** Closes the threads, then the parts that they share. A second call waits for the first. */
  close(): Promise<void>;
}

/** Returns the life of a new agent. `end` is called once, after the last thread is closed. */
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
    // Threads that were still opening when the close began are open now.
    closed.push(...[...threads].map((thread) => thread.close()));
    await Promise.allSettled(closed);
    await end();
    // Throws the error of a thread that could not be closed.
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

/** Throws `UserError` if an agent cannot run in this runtime. */
export function assertRuntime(): void {
  const fault = runtimeFault(process.versions);
  if (fault !== undefined) throw new UserError('unsupported', fault);
}
