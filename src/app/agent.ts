import { UserError } from '../base/errors.ts';
import { lazyMethods } from '../base/lazy.ts';
import type { Provider } from '../base/provider.ts';
import type { ThreadStore } from '../base/thread-store.ts';
import type { Config } from '../config/load-config.ts';
import { createAgentLife } from './agent-life.ts';
import type { AgentOptions } from './agent-options.ts';
import type { ThreadOptions } from './agent-parts.ts';
import { createAgentParts } from './create-agent-parts.ts';
import { createOpener } from './thread/open-thread.ts';
import type { Thread } from './thread/thread.ts';
import type { ReplayReport } from './threads/replay.ts';
import type { RestoreReport, RestoreThreadOptions } from './threads/snapshots.ts';
import type { Threads } from './threads/threads.ts';
import type { ThreadUsage } from './threads/usage.ts';

export interface Agent {
  readonly config: Config;
  readonly provider: Provider;
  readonly model: string;
  readonly store: ThreadStore;
  startThread(options?: ThreadOptions): Promise<Thread>;
  /**
   * Resumes a thread of an earlier process. Throws `UserError` when there is no such thread, or when it is archived.
   */
  resumeThread(thread: string, options?: ThreadOptions): Promise<Thread>;
  /**
   * Begins a thread with the turns of another thread. The other thread stays as it is and may be running. Throws
   * `UserError` when there is no such thread or turn.
   */
  forkThread(thread: string, options?: ForkOptions): Promise<Thread>;
  /**
   * Returns the id of the newest thread of this folder, or of any folder. Throws `UserError` when there is no thread.
   */
  lastThread(options?: { readonly anyFolder?: boolean }): Promise<string>;
  /** The threads of the store. */
  readonly threads: Threads;
  /**
   * Restores the workspace of a thread to its state before a turn changed it, or to a snapshot. Throws `UserError` when
   * no snapshot was kept. The report names the files that could not be restored.
   */
  restore(thread: string, options: RestoreThreadOptions): Promise<RestoreReport>;
  /** Returns the tokens, cost and time of a thread so far, read from its log. Throws `UserError` when there is no such thread. */
  usage(thread: string): Promise<ThreadUsage>;
  /**
   * Runs a thread again from its log, without network or effects, and reports whether the same log comes out. A thread is
   * named by its id, the first characters of its id, its name, or the path of its rollout file. Throws `UserError` when there
   * is no such thread.
   */
  replay(thread: string): Promise<ReplayReport>;
  /**
   * Interrupts running turns, closes all threads, then the connections unless `servers` was passed. No socket, timer or
   * process of the agent is left when the promise resolves. The other methods throw `UserError` after that. A second
   * call waits for the first.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ForkOptions extends Omit<ThreadOptions, 'ephemeral'> {
  /** Turn to continue after: its number, counted from 1, or its id. The default is the last turn. */
  readonly at?: number | string;
}

/** Returns an agent as the configuration describes it. Throws `UserError` for a configuration that makes no sense. */
export function createAgent(options: AgentOptions = {}): Agent {
  const { parts, close } = createAgentParts(options);
  const { config, provider, model, world, store } = parts;
  const life = createAgentLife(close);
  const opener = createOpener(parts, life.threads);
  const threads = () =>
    life.run(async () =>
      (await import('./threads/create-threads.ts')).createThreads(store, { rawReasoning: config.showRawReasoning }),
    );
  return {
    config,
    provider,
    model,
    store,
    startThread: (threadOptions = {}) => life.run(() => opener.start(threadOptions)),
    resumeThread: (thread, threadOptions = {}) =>
      life.run(async () => {
        const { id, archived } = await store.find(thread);
        if (archived) throw archivedError(id);
        return opener.take(id, threadOptions);
      }),
    forkThread: (thread, { at, ...threadOptions } = {}) =>
      life.run(async () =>
        opener.take(await (await import('./threads/fork-thread.ts')).forkThread(parts, thread, at), threadOptions),
      ),
    lastThread: ({ anyFolder = false } = {}) => life.run(() => lastThread(store, anyFolder ? null : config.cwd)),
    threads: {
      async *list(query) {
        yield* (await threads()).list(query);
      },
      ...lazyMethods(threads, ['find', 'show', 'items', 'rename', 'archive', 'unarchive', 'delete']),
    },
    restore: (thread, restoring) =>
      life.run(async () =>
        (await import('./threads/snapshots.ts')).restoreThread({ config, world, store }, thread, restoring),
      ),
    usage: (thread) => life.run(async () => (await import('./threads/usage.ts')).usageOfThread(thread, { store })),
    async replay(thread) {
      life.assertOpen();
      return (await import('./threads/replay.ts')).replayNamed(thread, store, config.home);
    },
    close: life.close,
    [Symbol.asyncDispose]: life.close,
  };
}

async function lastThread(store: ThreadStore, cwd: string | null): Promise<string> {
  const id = await store.last(cwd);
  if (id !== null) return id;
  if (cwd === null) throw new UserError('not_found', `There is no thread of ${store.label}.`);
  throw new UserError('not_found', `There is no thread of ${cwd}.`, { remedy: { type: 'search_all_folders' } });
}

function archivedError(id: string): UserError {
  return new UserError('not_found', `The thread ${id} is archived.`, {
    remedy: { type: 'unarchive_thread', thread: id },
  });
}
