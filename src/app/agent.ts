import { UserError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import { localTime } from '../base/local-time.ts';
import type { Provider } from '../base/provider.ts';
import type { Tool } from '../base/tool.ts';
import type { World } from '../base/world.ts';
import { type Config, type LoadOptions, loadConfig } from '../config/load-config.ts';
import { realWorld } from '../config/real-world.ts';
import { openThread } from '../engine/thread.ts';
import { findProvider } from '../model/providers/index.ts';
import { findLastThread, findRollout } from '../store/find-rollout.ts';
import { openKnownWires } from '../store/known-wires.ts';
import { openLogFile } from '../store/log-file.ts';
import { rolloutPath } from '../store/rollout.ts';
import { createActivityLog } from './activity-log.ts';
import type { AgentParts, ThreadOptions } from './agent-parts.ts';
import { agentsFiles } from './agents-files.ts';
import { lazyThreads } from './lazy-threads.ts';
import { loadLate } from './load-late.ts';
import { createRedactor } from './redact.ts';
import { setUpThread } from './set-up-thread.ts';
import type { RestoreReport, RestoreThreadOptions } from './snapshots.ts';
import { type Thread, wrapThread } from './thread.ts';
import type { Threads } from './threads.ts';
import type { Transport } from './transport.ts';
import type { ThreadUsage } from './usage.ts';

export type { ThreadOptions } from './agent-parts.ts';
export type { RestoreChange, RestoreReport, RestoreThreadOptions } from './snapshots.ts';
export type { CompactOptions, RunOptions, SteerOptions, StreamedTurn, Thread, TurnResult } from './thread.ts';
export type { ThreadDetails, ThreadQuery, ThreadSummary, Threads, ThreadTurn } from './threads.ts';
export type { RequestUsage, ThreadUsage, TurnUsage } from './usage.ts';

export interface AgentOptions extends LoadOptions {
  /** Who uses the agent, as servers are told. */
  readonly originator?: string;
  /**
   * Whether this process is the agent's alone. Descriptors that it inherited are then closed before the first command,
   * which could reach out of the sandbox through them.
   */
  readonly ownProcess?: boolean;
  /** A file to record every exchange with the server in: a cassette. */
  readonly record?: string;
  /** A cassette that answers instead of the server. */
  readonly replay?: string;
  /** Gets each line of the log too, secrets removed. */
  readonly onLog?: (line: string) => void;
  /**
   * Tools of your own, made with `defineTool`. A function is asked before each request, so that tools may come and go; it
   * returns the same array as long as they do not change, since a change makes servers read the whole thread again.
   */
  readonly tools?: readonly Tool[] | (() => readonly Tool[]);
  /** Clock, ids and chance; tests hand in their own. */
  readonly world?: World;
}

export interface Agent {
  readonly config: Config;
  readonly provider: Provider;
  readonly model: string;
  startThread(options?: ThreadOptions): Promise<Thread>;
  /** Goes on with a thread of an earlier process. Throws `UserError` when there is none, or when it is archived. */
  resumeThread(thread: string, options?: ThreadOptions): Promise<Thread>;
  /** Begins a thread with the turns of another, which stays as it is and may be running. Throws `UserError`. */
  forkThread(thread: string, options?: ForkOptions): Promise<Thread>;
  /** The id of the newest thread, of this folder or of any. Throws `UserError` when there is none. */
  lastThread(options?: { readonly anyFolder?: boolean }): Promise<string>;
  /** The threads of this home. */
  readonly threads: Threads;
  /**
   * Makes the workspace of a thread what it was before a turn changed it, or as a snapshot has it. Throws `UserError` where
   * nothing was kept. The report names what failed.
   */
  restore(thread: string, options: RestoreThreadOptions): Promise<RestoreReport>;
  /** What a thread took so far, as its file tells. Throws `UserError` when there is none. */
  usage(thread: string): Promise<ThreadUsage>;
}

export interface ForkOptions extends Omit<ThreadOptions, 'ephemeral'> {
  /** The turn after which to go on: its number from 1, or its id. Without it, after the last. */
  readonly at?: number | string;
}

/** An agent as the configuration describes it. Throws `UserError` when that makes no sense. */
export function createAgent(options: AgentOptions = {}): Agent {
  const config = loadConfig(options);
  const world = options.world ?? realWorld();
  const provider = providerOf(config);
  const model = modelOf(config, provider);
  const parts: Omit<AgentParts, 'transport'> = {
    config,
    provider,
    model,
    world,
    originator: options.originator ?? 'oxbow',
    ownProcess: options.ownProcess ?? false,
    tools: toolsOf(options),
    knownWires: openKnownWires(config.home),
    terminals: { most: config.tools.maxTerminals, running: 0 },
    hands: { count: 0, inVain: 0 },
    log: openActivityLog(config, world, options.onLog),
    agents: agentsFiles(config, world),
  };

  let transport: Promise<Transport> | undefined;

  async function open(id: string, path: string | null, threadOptions: ThreadOptions, resume: boolean): Promise<Thread> {
    transport ??= openTransport(options, config, world);
    const all: AgentParts = { ...parts, transport: await transport };
    const { setup, listen } = await setUpThread(all, id, path, threadOptions);
    return wrapThread(await openThread(setup, { resume }), { cwd: config.cwd, listen, onClose: all.transport.flush });
  }

  return {
    config,
    provider,
    model,
    async startThread(threadOptions = {}) {
      const id = world.uuid();
      const path = threadOptions.ephemeral
        ? null
        : rolloutPath(config.home, id, localTime(world.now(), config.timezone));
      return open(id, path, threadOptions, false);
    },
    async resumeThread(thread, threadOptions = {}) {
      const { id, path } = await findThread(config.home, thread);
      return open(id, path, threadOptions, true);
    },
    async forkThread(thread, { at, ...threadOptions } = {}) {
      const { id, path } = await (await loadLate()).forkThread(parts, thread, at);
      return open(id, path, threadOptions, true);
    },
    async lastThread({ anyFolder = false } = {}) {
      const id = await findLastThread(config.home, anyFolder ? null : config.cwd);
      if (id !== undefined) return id;
      const where = anyFolder ? config.home : `${config.cwd}; --all looks at those of other folders too`;
      throw new UserError(`There is no thread of ${where}.`);
    },
    threads: lazyThreads(config.home, world),
    restore: async (thread, restoring) => (await loadLate()).restoreThread({ config, world }, thread, restoring),
    usage: async (thread) => (await loadLate()).usageOfThread(thread, { home: config.home }),
  };
}

function toolsOf({ tools = [] }: AgentOptions): () => readonly Tool[] {
  return typeof tools === 'function' ? tools : () => tools;
}

/** Whole ids are the common case: nothing more is loaded for them. */
async function findThread(home: string, thread: string): Promise<{ readonly id: string; readonly path: string }> {
  const path = await findRollout(home, thread);
  if (path !== undefined) return { id: thread, path };
  const { resolveThread, unpackedRollout } = await loadLate();
  const file = await resolveThread(home, thread);
  if (!file.archived) return { id: file.id, path: await unpackedRollout(file.path) };
  throw new UserError(`The thread ${file.id} is archived. Take it back with: oxbow threads unarchive ${file.id}`);
}

function providerOf({ modelProvider, modelProviders, openaiBaseUrl }: Config): Provider {
  return findProvider(modelProvider, modelProviders, openaiBaseUrl === null ? {} : { openaiBaseUrl });
}

function modelOf(config: Config, { id, defaultModel }: Provider): string {
  const model = config.model ?? defaultModel;
  if (model === undefined) throw new UserError(noModel(id));
  return model;
}

function noModel(provider: string): string {
  return `No model is set for the provider "${provider}". Name one with -m NAME, or with model = "NAME" in config.toml.`;
}

function openActivityLog(config: Config, world: World, onLog: AgentOptions['onLog']): (event: Event) => void {
  const file = openLogFile(config.home);
  return createActivityLog({
    level: onLog ? 'debug' : config.logLevel,
    redact: createRedactor(config.env),
    now: world.now,
    write(line) {
      if (config.logLevel !== 'off') file.write(line);
      onLog?.(line);
    },
  });
}

/** Cassettes are loaded for those who use them. */
async function openTransport({ record, replay }: AgentOptions, { env }: Config, world: World): Promise<Transport> {
  if (record === undefined && replay === undefined) return {};
  const { createTransport } = await loadLate();
  return createTransport({ record, replay, env, world });
}
