import type { CallHooks } from '../base/call-hooks.ts';
import type { Environment } from '../base/environment.ts';
import type { Answer, Ask, Event } from '../base/event.ts';
import type { HistoryMessage } from '../base/item.ts';
import type { Lazy } from '../base/lazy.ts';
import type { Limiter } from '../base/limiter.ts';
import type { Model } from '../base/model.ts';
import type { Provider } from '../base/provider.ts';
import type { BuiltInTool, Tool } from '../base/tool.ts';
import type { World } from '../base/world.ts';
import type { Config } from '../config/load-config.ts';
import type { TerminalCount } from '../exec/environment/terminal-count.ts';
import type { AgentsText } from '../prompt/agents/compose-agents.ts';
import type { HomeFiles } from './home-files.ts';
import type { KeyParts } from './own-credentials.ts';
import type { AgentMcp, ServerParts } from './servers.ts';
import type { ThreadPace } from './thread/thread-pace.ts';
import type { Transport } from './thread/transport.ts';
import type { WarmUpCounts } from './thread/warm-up.ts';

/** Makes the environment of one thread. The environment is closed with the thread. */
export type EnvironmentFactory = (thread: EnvironmentContext) => Environment | Promise<Environment>;

/** The thread that an environment is made for. */
export interface EnvironmentContext {
  /** Id of the thread. */
  readonly threadId: string;
  /** Working directory of the thread. */
  readonly cwd: string;
}

/** The parts that all threads of an agent share. */
export interface AgentParts extends HomeFiles, KeyParts {
  readonly config: Config;
  readonly provider: Provider;
  readonly model: string;
  readonly world: World;
  readonly originator: string;
  readonly source: string;
  readonly ownProcess: boolean;
  /** Returns the tools of the embedding program as they are now. */
  tools(): readonly Tool[];
  /** The kinds of built-in tools that models may call. */
  readonly builtInTools: ReadonlySet<BuiltInTool>;
  readonly terminals: TerminalCount;
  readonly warmUps: WarmUpCounts;
  readonly pace: ThreadPace;
  readonly transport: Lazy<Transport>;
  /** MCP servers of the agent. Undefined if there are none. */
  readonly mcp?: Lazy<AgentMcp> | undefined;
  /** Makes the model of a thread, instead of a model behind HTTP. */
  readonly ownModel?: ((threadId: string) => Model | Promise<Model>) | undefined;
  /** Admits requests, of other agents too. */
  readonly limiter?: Limiter | undefined;
  /** Makes the environment of a thread, instead of an environment on this machine. */
  readonly ownEnvironment?: EnvironmentFactory | undefined;
  /** Connections and lessons, which other agents may share. */
  readonly servers: Pick<ServerParts, 'http' | 'memory'>;
  /** Returns the text of the AGENTS.md files as they are now. */
  readonly agents: () => AgentsText;
  /** Warnings about the configuration that no thread has reported yet. */
  readonly configWarnings: string[];
  /** Hooks around the calls of all threads. */
  readonly hooks: CallHooks;
  /** Receives every event of every thread. */
  log(event: Event): void;
  /** Returns the parts for a thread that works in another folder, as the configuration of that folder says. */
  inFolder(cwd: string): AgentParts;
}

/** Options of a thread, which hold until it is closed. */
export interface ThreadOptions extends CallHooks {
  /** Called with each event of the thread. An error that it throws becomes a warning. */
  readonly onEvent?: (event: Event) => void;
  /** Decides whether an action may happen. Without this function no action that needs approval happens. */
  readonly ask?: (ask: Ask, signal: AbortSignal) => Answer | Promise<Answer>;
  /** Whether the thread keeps no rollout file. */
  readonly ephemeral?: boolean;
  /**
   * Whether `commandOutput` returns whole outputs, up to 64 MiB each. They are in a file below the home that is gone when
   * the thread is closed.
   */
  readonly keepOutputs?: boolean;
  /**
   * When the workspace is kept, so that it can be restored. `on-change`: before the first change of a turn, which waits
   * for it. `background`: from the first request of a turn on, and the first change waits only if it is not done by then.
   * The default is the setting `snapshots.enabled`: `on-change` or `off`.
   */
  readonly snapshots?: 'background' | 'on-change' | 'off';
  /** Text that replaces the base instructions. */
  readonly instructions?: string;
  /** Tools of your own for this thread, instead of those of the agent. A function is called before each request. */
  readonly tools?: readonly Tool[] | (() => readonly Tool[]);
  /**
   * Working folder of the thread, relative to that of the agent, which is the default. The configuration, trust,
   * AGENTS.md and sandbox are those of this folder.
   */
  readonly cwd?: string;
  /** Name of the model for the turns of the thread. The option `model` of a turn comes first. */
  readonly model?: string;
  /** Any value, for tools and hooks of your own: the tenant, a connection. It is neither stored nor sent. */
  readonly context?: unknown;
  /**
   * Texts about a new thread, kept with it: `threads.list` returns them and can look for them. A fork has those of its
   * parent by default.
   */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Messages that a new thread begins with, as if they had been exchanged in it. */
  readonly history?: readonly HistoryMessage[];
}

/** Options of `resumeThread`. */
export type ResumeThreadOptions = Omit<ThreadOptions, 'metadata' | 'history'>;
