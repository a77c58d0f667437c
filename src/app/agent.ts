import { UserError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import type { FetchLike } from '../base/fetch-like.ts';
import { lazyMethods } from '../base/lazy.ts';
import type { Model } from '../base/model.ts';
import type { Provider } from '../base/provider.ts';
import type { ThreadStore } from '../base/thread-store.ts';
import type { Tool } from '../base/tool.ts';
import type { World } from '../base/world.ts';
import { type Config, type LoadOptions, loadConfig } from '../config/load-config.ts';
import { realWorld } from '../config/real-world.ts';
import { assertWires } from '../model/providers/assert-wires.ts';
import { findProvider } from '../model/providers/index.ts';
import { createServerMemory } from '../model/server-memory.ts';
import { openKnownWires } from '../store/files/known-wires.ts';
import { type LogFile, openLogFile } from '../store/files/log-file.ts';
import { createRolloutStore } from '../store/rollout-store.ts';
import { type AgentLife, createAgentLife } from './agent-life.ts';
import type { AgentParts, EnvironmentFactory, ThreadOptions } from './agent-parts.ts';
import { createActivityLog } from './log/activity-log.ts';
import { createRedactor } from './log/redact.ts';
import { createServerParts, isServerParts, type ServerParts, type Servers } from './servers.ts';
import { agentsFiles } from './thread/agents-files.ts';
import { canonicalLine } from './thread/canonical-line.ts';
import { createOpener } from './thread/open-thread.ts';
import type { Thread } from './thread/thread.ts';
import type { Transport } from './thread/transport.ts';
import type { RestoreReport, RestoreThreadOptions } from './threads/snapshots.ts';
import type { Threads } from './threads/threads.ts';
import type { ThreadUsage } from './threads/usage.ts';

export type { EnvironmentContext, EnvironmentFactory, ThreadOptions } from './agent-parts.ts';
export type { CompactOptions, RunOptions, SteerOptions, StreamedTurn, Thread, TurnResult } from './thread/thread.ts';
export type { RestoreChange, RestoreReport, RestoreThreadOptions } from './threads/snapshots.ts';
export type {
  ThreadDetails,
  ThreadQuery,
  ThreadSummary,
  Threads,
  ThreadTurn,
  TranscriptItem,
} from './threads/threads.ts';
export type { RequestUsage, ThreadUsage, TurnUsage } from './threads/usage.ts';

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
  /** Connections and lessons about servers, made with `createServers` and shared with other agents. Its own without it. */
  readonly servers?: Servers;
  /** Where commands run and files lie, made for each thread: a container, another machine. This machine without it. */
  readonly environment?: EnvironmentFactory;
  /** The model to ask, instead of a server: one object, or one for each thread. Its name is still a setting. */
  readonly model?: Model | ((threadId: string) => Model | Promise<Model>);
  /** Carries the requests to servers, instead of the agent's own HTTP client. */
  readonly fetch?: FetchLike;
  /** Where threads are kept; files below the home by default. */
  readonly store?: ThreadStore;
  /** Clock, ids and chance; tests hand in their own. */
  readonly world?: World;
}

export interface Agent {
  readonly config: Config;
  readonly provider: Provider;
  readonly model: string;
  /** Where threads are kept. */
  readonly store: ThreadStore;
  startThread(options?: ThreadOptions): Promise<Thread>;
  /** Goes on with a thread of an earlier process. Throws `UserError` when there is none, or when it is archived. */
  resumeThread(thread: string, options?: ThreadOptions): Promise<Thread>;
  /** Begins a thread with the turns of another, which stays as it is and may be running. Throws `UserError`. */
  forkThread(thread: string, options?: ForkOptions): Promise<Thread>;
  /** The id of the newest thread, of this folder or of any. Throws `UserError` when there is none. */
  lastThread(options?: { readonly anyFolder?: boolean }): Promise<string>;
  /** The threads of the store. */
  readonly threads: Threads;
  /**
   * Makes the workspace of a thread what it was before a turn changed it, or as a snapshot has it. Throws `UserError` where
   * nothing was kept. The report names what failed.
   */
  restore(thread: string, options: RestoreThreadOptions): Promise<RestoreReport>;
  /** Returns the tokens, cost and time of a thread so far, read from its log. Throws `UserError` when there is no such thread. */
  usage(thread: string): Promise<ThreadUsage>;
  /**
   * Interrupts the turns that run, closes all threads, then the connections unless `servers` was given. No socket, timer
   * or process of the agent is left when it resolves. The other methods throw `UserError` after that; a second call waits
   * for the first.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An agent that the library adds methods to. */
export interface BareAgent extends Agent, Pick<AgentLife, 'assertOpen'> {}

export interface ForkOptions extends Omit<ThreadOptions, 'ephemeral'> {
  /** The turn after which to go on: its number from 1, or its id. Without it, after the last. */
  readonly at?: number | string;
}

/** An agent as the configuration describes it. Throws `UserError` when that makes no sense. */
export function createAgent(options: AgentOptions = {}): BareAgent {
  const config = loadConfig(options);
  const servers = serversOf(options);
  const logFile = openLogFile(config.home);
  const parts = partsOf(options, config, servers, logFile);
  const { provider, model, world, store } = parts;
  const life = createAgentLife(async () => {
    if (options.servers === undefined) await servers.close();
    logFile.close();
  });
  const opener = createOpener(parts, life.threads, () => openTransport(options, config, world));
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
    assertOpen: life.assertOpen,
    close: life.close,
    [Symbol.asyncDispose]: life.close,
  };
}

type PlainParts = Omit<AgentParts, 'transport'>;

function partsOf(options: AgentOptions, config: Config, servers: ServerParts, logFile: LogFile): PlainParts {
  const world = options.world ?? realWorld();
  const provider = providerOf(config);
  return {
    config,
    provider,
    model: modelOf(config, provider),
    world,
    originator: options.originator ?? 'oxbow',
    ownProcess: options.ownProcess ?? false,
    tools: toolsOf(options),
    ownModel: ownModelOf(options),
    ownEnvironment: options.environment,
    knownWires: openKnownWires(config.home),
    terminals: { most: config.tools.maxTerminals, running: 0 },
    warmUps: { warm: 0, unused: 0 },
    log: openActivityLog(config, world, logFile, options.onLog),
    agents: agentsFiles(config, world),
    store: options.store ?? openHomeStore(config, world),
    // A cassette must hold the refusals that teach a lesson. Agents that know the lesson already would leave them out.
    servers: isTaped(options) ? { http: servers.http, memory: createServerMemory() } : servers,
  };
}

function toolsOf({ tools = [] }: AgentOptions): () => readonly Tool[] {
  return typeof tools === 'function' ? tools : () => tools;
}

function ownModelOf({ model }: AgentOptions): AgentParts['ownModel'] {
  return model === undefined || typeof model === 'function' ? model : () => model;
}

function serversOf({ servers }: AgentOptions): ServerParts {
  if (servers === undefined) return createServerParts();
  if (isServerParts(servers)) return servers;
  throw new UserError('invalid_input', 'The option `servers` takes the result of createServers().');
}

/** Whether requests are recorded in a cassette or answered from one. */
function isTaped({ record, replay }: AgentOptions): boolean {
  return record !== undefined || replay !== undefined;
}

async function lastThread(store: ThreadStore, cwd: string | null): Promise<string> {
  const id = await store.last(cwd);
  if (id !== null) return id;
  if (cwd === null) throw new UserError('not_found', `There is no thread of ${store.label}.`);
  throw new UserError('not_found', `There is no thread of ${cwd}.`, { remedy: { type: 'search_all_folders' } });
}

function openHomeStore({ home, timezone }: Config, { now }: World): ThreadStore {
  const catalogue = async () => (await import('../store/catalogue/rollout-catalogue.ts')).createRolloutCatalogue;
  return createRolloutStore({ home, timezone, now, gate: canonicalLine, catalogue });
}

function archivedError(id: string): UserError {
  return new UserError('not_found', `The thread ${id} is archived.`, {
    remedy: { type: 'unarchive_thread', thread: id },
  });
}

function providerOf({ modelProvider, modelProviders, openaiBaseUrl }: Config): Provider {
  assertWires(modelProviders);
  return findProvider(modelProvider, modelProviders, openaiBaseUrl === null ? {} : { openaiBaseUrl });
}

function modelOf(config: Config, { id, defaultModel }: Provider): string {
  const model = config.model ?? defaultModel;
  if (model !== undefined) return model;
  const text = `No model is set for the provider "${id}". Name one with model = "NAME" in config.toml.`;
  throw new UserError('invalid_config', text, { remedy: { type: 'name_model' } });
}

function openActivityLog(
  config: Config,
  world: World,
  file: LogFile,
  onLog: AgentOptions['onLog'],
): (event: Event) => void {
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
async function openTransport(options: AgentOptions, { env }: Config, world: World): Promise<Transport> {
  const { record, replay } = options;
  if (!isTaped(options) && options.fetch === undefined) return {};
  const { createTransport } = await import('./thread/transport.ts');
  return createTransport({ record, replay, fetch: options.fetch, env, world });
}
