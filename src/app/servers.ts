import { UserError } from '../base/errors.ts';
import type { EventBody } from '../base/event.ts';
import type { Tool } from '../base/tool.ts';
import { readNetwork } from '../config/network.ts';
import type { McpServers } from '../mcp-client/create-mcp-servers.ts';
import type { McpTools } from '../mcp-client/mcp-tools.ts';
import { createHttp } from '../model/http/create-http.ts';
import type { Http } from '../model/http.ts';
import { offlineHttp } from '../model/offline-http.ts';
import { createServerMemory, type ServerMemory } from '../model/server-memory.ts';
import { createConnectionLimit } from '../node-internals/connection-limit.ts';

/** Connections to model servers and lessons about these servers. Agents of one process may share them. */
export interface Servers {
  /** Ends all connections. Running turns fail, and so do later ones. Resolves when no socket is left. */
  close(): Promise<void>;
}

/** Parts of `Servers`, hidden from programs. */
export interface ServerParts extends Servers {
  readonly http: Http;
  readonly memory: ServerMemory;
}

/** The MCP servers of an agent. */
export interface AgentMcp {
  readonly servers: McpServers;
  /**
   * Returns the part of the servers in a thread, and starts them, unless they run. Where no request waits for them, they
   * start a moment later: ten programs that start at once would delay the first request. Throws `UserError` if a server
   * that is required has failed.
   */
  join(
    thread: { tools(): readonly Tool[] },
    emit: (event: EventBody, turnId: string | null) => void,
  ): Promise<ThreadMcp>;
}

/** The part of the MCP servers in one thread. */
export interface ThreadMcp {
  readonly tools: McpTools;
  /** Waits for servers that are still starting, once and only for the configured time. */
  ready(signal?: AbortSignal): Promise<void>;
  /** Starts servers that wait until the first request is sent. */
  begin(): void;
  /** Ends the events. */
  leave(): void;
}

/**
 * Makes `Servers` for agents to share.
 *
 * @example
 * const servers = createServers();
 * const agents = ['/srv/one', '/srv/two'].map((cwd) => createAgent({ cwd, servers }));
 */
export function createServers(): Servers {
  return newParts();
}

/** The network as a configuration has it. */
interface NetworkSettings {
  /** Variables that name proxies and further certificates to trust. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether only this machine may be contacted. */
  readonly offline: boolean;
}

/**
 * Returns the parts of servers that a program passed, or new ones, for requests as a configuration wants them. Throws
 * `UserError` for an object that this module has not made.
 */
export function serverParts(servers: Servers | undefined, { env, offline }: NetworkSettings): ServerParts {
  const parts = servers === undefined ? newParts(env) : givenParts(servers);
  return offline ? { ...parts, http: offlineHttp(parts.http) } : parts;
}

function newParts(env?: NetworkSettings['env']): ServerParts {
  const http = createHttp({ mayOpen: createConnectionLimit(), ...readNetwork(env) });
  return { http, memory: createServerMemory(), close: http.close };
}

function givenParts(servers: Servers): ServerParts {
  if ('http' in servers && 'memory' in servers) return servers as ServerParts;
  throw new UserError('invalid_input', 'The option `servers` takes the result of createServers().');
}
