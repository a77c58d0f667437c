import { createHttp } from '../model/http/create-http.ts';
import type { Http } from '../model/http.ts';
import { createServerMemory, type ServerMemory } from '../model/server-memory.ts';

/** Connections to model servers and lessons about these servers. Agents of one process may share them. */
export interface Servers {
  /** Ends all connections. Turns that are going on fail, and so do later ones. Resolves when no socket is left. */
  close(): Promise<void>;
}

/** The parts of `Servers`, which programs do not see. */
export interface ServerParts extends Servers {
  readonly http: Http;
  readonly memory: ServerMemory;
}

/** Makes `Servers` for agents to share: `createAgent({ servers })`. */
export function createServers(): Servers {
  return createServerParts();
}

export function createServerParts(): ServerParts {
  const http = createHttp();
  return { http, memory: createServerMemory(), close: http.close };
}

/** Returns whether `Servers` were made here. */
export function isServerParts(servers: Servers): servers is ServerParts {
  return 'http' in servers && 'memory' in servers;
}
