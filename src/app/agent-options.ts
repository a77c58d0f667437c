import type { CallHooks } from '../base/call-hooks.ts';
import type { CredentialsSource } from '../base/credentials.ts';
import type { Warning } from '../base/event.ts';
import type { FetchLike } from '../base/fetch-like.ts';
import type { Limiter } from '../base/limiter.ts';
import type { Model } from '../base/model.ts';
import type { ThreadStore } from '../base/thread-store.ts';
import type { BuiltInTool, Tool } from '../base/tool.ts';
import type { World } from '../base/world.ts';
import type { LoadOptions } from '../config/load-config.ts';
import type { EnvironmentFactory } from './agent-parts.ts';
import type { CassetteReplay } from './options/cassette-replay.ts';
import type { McpServerOptions } from './options/mcp-servers.ts';
import type { Servers } from './servers.ts';

/** Options of `createAgent`. All of them may be left out: the configuration then decides. */
export interface AgentOptions extends LoadOptions, CallHooks {
  /** Name of the program that uses the agent, sent to servers. */
  readonly originator?: string;
  /** Kind of program that starts the threads, kept with each of them: `exec` by default, `cli` for a terminal, `mcp` for a server of MCP. */
  readonly source?: 'exec' | 'cli' | 'mcp';
  /**
   * Whether the agent has this process to itself. Descriptors that the process inherited are then closed before the
   * first command, which could reach out of the sandbox through them.
   */
  readonly ownProcess?: boolean;
  /** Path of a file that records every exchange with the server: a cassette. */
  readonly record?: string;
  /** Path of a cassette that answers instead of the server, or the cassette with the way in which it is used. */
  readonly replay?: string | CassetteReplay;
  /** Called with each line of the log, secrets removed. */
  readonly onLog?: (line: string) => void;
  /** Called with the warnings of the configuration, and then with each warning of each thread. */
  readonly onWarning?: (warning: Warning) => void;
  /**
   * Tools of your own, made with `defineTool`. A function is called before each request, so that tools may come and go.
   * It returns the same array as long as the tools do not change, since a change makes servers read the whole thread
   * again.
   */
  readonly tools?: readonly Tool[] | (() => readonly Tool[]);
  /**
   * MCP servers by their names, besides those of the configuration: a table with the keys of config.toml, or a server
   * object of an MCP SDK, which runs in this process.
   */
  readonly mcpServers?: McpServerOptions;
  /**
   * Built-in tools that models may call: all of them by default. The configuration may turn off more. A call of another
   * one is refused.
   */
  readonly builtInTools?: 'all' | 'none' | readonly BuiltInTool[];
  /**
   * Connections and lessons about servers, made with `createServers` and shared with other agents. An agent has its own
   * by default.
   */
  readonly servers?: Servers;
  /**
   * Makes the environment of each thread, such as a container or another machine. Commands run on this machine by
   * default.
   */
  readonly environment?: EnvironmentFactory;
  /**
   * Model that is asked instead of a server: one object for all threads, or a function that makes one for each thread.
   * The name of the model is still a setting.
   */
  readonly model?: Model | ((threadId: string) => Model | Promise<Model>);
  /** Sends the requests to servers, instead of the agent's own HTTP client. */
  readonly fetch?: FetchLike;
  /**
   * Admits each request, made with `createLimiter` or your own. Agents that use one account of a server share one
   * limiter.
   */
  readonly limiter?: Limiter;
  /**
   * Finds the credentials of each request, instead of `env_key` and the other keys of the configuration. Requests at the
   * same time share one call.
   */
  readonly credentials?: CredentialsSource;
  /** Store of the threads. The default is files below the home. */
  readonly store?: ThreadStore;
  /** Clock, ids and random numbers. Tests pass their own. */
  readonly world?: World;
}
