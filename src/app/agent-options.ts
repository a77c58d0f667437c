import type { FetchLike } from '../base/fetch-like.ts';
import type { Model } from '../base/model.ts';
import type { ThreadStore } from '../base/thread-store.ts';
import type { Tool } from '../base/tool.ts';
import type { World } from '../base/world.ts';
import type { LoadOptions } from '../config/load-config.ts';
import type { EnvironmentFactory } from './agent-parts.ts';
import type { Servers } from './servers.ts';

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
