import { lazyMethods } from '../base/lazy.ts';
import type { Provider } from '../base/provider.ts';
import type { ThreadStore } from '../base/thread-store.ts';
import { checkOptions, type OptionNames } from '../config/check-options.ts';
import type { Config } from '../config/load-config.ts';
import { assertRuntime, createAgentLife } from './agent-life.ts';
import { type AgentMcpServers, createAgentMcp } from './agent-mcp.ts';
import type { AgentOptions } from './agent-options.ts';
import type { ResumeThreadOptions, ThreadOptions } from './agent-parts.ts';
import { createAgentParts, shownParts } from './create-agent-parts.ts';
import { createOwnTexts, type OwnTexts } from './own-texts.ts';
import { createOpener } from './thread/open-thread.ts';
import type { Thread } from './thread/thread.ts';
import { findUsableThread, lastThread, type ThreadReference } from './threads/find-thread.ts';
import type { ReplayReport } from './threads/replay.ts';
import type { RestoreReport, RestoreThreadOptions } from './threads/snapshots.ts';
import type { Threads } from './threads/threads.ts';
import type { ThreadUsage } from './threads/usage.ts';

/** An agent: a configuration, its connections and its threads. */
export interface Agent extends OwnTexts {
  /** The configuration, read once and frozen. */
  readonly config: Config;
  /** The server that is asked. */
  readonly provider: Provider;
  /** Name of the model. */
  readonly model: string;
  /** The store of the threads. */
  readonly store: ThreadStore;
  /**
   * Starts a thread.
   *
   * @example
   * const thread = await agent.startThread({ onEvent: (event) => console.log(event.type) });
   */
  startThread(options?: ThreadOptions): Promise<Thread>;
  /**
   * Resumes a thread of an earlier process. Throws `UserError` when there is no such thread, or when it is archived.
   *
   * @example
   * const thread = await agent.resumeThread(await agent.lastThread());
   */
  resumeThread(thread: ThreadReference, options?: ResumeThreadOptions): Promise<Thread>;
  /**
   * Begins a thread with the turns of another thread. The other thread stays as it is and may be running. Throws
   * `UserError` when there is no such thread or turn.
   */
  forkThread(thread: ThreadReference, options?: ForkOptions): Promise<Thread>;
  /**
   * Returns the id of the newest thread of this folder, or of any folder. Throws `UserError` when there is no thread.
   */
  lastThread(options?: { readonly anyFolder?: boolean }): Promise<string>;
  /** The threads of the store. */
  readonly threads: Threads;
  /** The MCP servers of the agent. They start with the first thread. */
  readonly mcp: AgentMcpServers;
  /**
   * Restores the workspace of a thread to its state before a turn changed it, or to a snapshot. Throws `UserError` when
   * no snapshot was kept. The report names the files that could not be restored.
   */
  restore(thread: ThreadReference, options: RestoreThreadOptions): Promise<RestoreReport>;
  /** Returns the tokens, cost and time of a thread so far, read from its log. Throws `UserError` when there is no such thread. */
  usage(thread: ThreadReference): Promise<ThreadUsage>;
  /**
   * Runs a thread again from its log, without network or effects, and reports whether the same log comes out. The path
   * of a rollout file names its thread too. Throws `UserError` when there is no such thread.
   */
  replay(thread: ThreadReference): Promise<ReplayReport>;
  /**
   * Interrupts running turns, closes all threads, then the connections unless `servers` was passed. No socket, timer or
   * process of the agent is left when the promise resolves. The other methods throw `UserError` after that. A second
   * call waits for the first.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of `forkThread`. */
export interface ForkOptions extends Omit<ThreadOptions, 'ephemeral' | 'history'> {
  /** Turn to continue after: its number, counted from 1, or its id. The default is the last turn. */
  readonly at?: number | string;
}

/**
 * Returns an agent as the configuration describes it. Throws `UserError` for a configuration that makes no sense, and in
 * a runtime other than Node.
 *
 * @example
 * const agent = createAgent({ cwd: '/srv/project', settings: { sandbox_mode: 'workspace-write' } });
 * const thread = await agent.startThread();
 * const { finalResponse } = await thread.run('Why does the test fail?');
 * await agent.close();
 */
export function createAgent(options: AgentOptions = {}): Agent {
  assertRuntime();
  checkOptions('createAgent', options, AGENT_OPTIONS);
  const { parts, close } = createAgentParts(options);
  const { config, provider, model, world, store } = parts;
  const life = createAgentLife(close);
  const mcp = createAgentMcp(parts.mcp);
  const opener = createOpener(parts, life.threads);
  const threads = () =>
    life.run(async () =>
      (await import('./threads/create-threads.ts')).createThreads(store, { rawReasoning: config.showRawReasoning }),
    );
  return {
    ...shownParts(config, provider),
    model,
    store,
    startThread: (threadOptions = {}) => life.run(() => opener.start(threadOptions)),
    resumeThread: (thread, threadOptions = {}) =>
      life.run(async () => opener.take(await findUsableThread(store, thread), threadOptions)),
    forkThread: (thread, { at, ...threadOptions } = {}) =>
      life.run(async () => {
        const { forkThread } = await import('./threads/fork-thread.ts');
        const { metadata } = threadOptions;
        return opener.fork((own) => forkThread(own, thread, { at, metadata }), threadOptions);
      }),
    lastThread: ({ anyFolder = false } = {}) => life.run(() => lastThread(store, anyFolder ? null : config.cwd)),
    threads: {
      async *list(query) {
        yield* (await threads()).list(query);
      },
      ...lazyMethods(threads, THREADS_METHODS),
    },
    ...createOwnTexts(config, world, life),
    mcp: {
      states: () => life.run(mcp.states),
      prompts: () => life.run(mcp.prompts),
      prompt: (server, name, input) => life.run(() => mcp.prompt(server, name, input)),
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

const THREADS_METHODS = [
  'find',
  'show',
  'items',
  'history',
  'preview',
  'rename',
  'archive',
  'unarchive',
  'delete',
] as const;

const AGENT_OPTIONS: OptionNames<AgentOptions> = {
  addDirs: true,
  afterCall: true,
  beforeCall: true,
  builtInTools: true,
  credentials: true,
  cwd: true,
  env: true,
  environment: true,
  fetch: true,
  hermetic: true,
  home: true,
  ignoreUserFile: true,
  limiter: true,
  mcpServers: true,
  model: true,
  moreEnv: true,
  onLog: true,
  onWarning: true,
  originator: true,
  origins: true,
  overrides: true,
  ownProcess: true,
  profile: true,
  record: true,
  replay: true,
  servers: true,
  settings: true,
  source: true,
  store: true,
  strict: true,
  systemFile: true,
  tools: true,
  world: true,
};
