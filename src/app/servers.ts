import { readFileSync } from 'node:fs';
import { createHttp } from '../model/http/create-http.ts';
import type { Http } from '../model/http.ts';
import { createServerMemory, type ServerMemory } from '../model/server-memory.ts';

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

/** Makes `Servers` for agents to share: `createAgent({ servers })`. */
export function createServers(): Servers {
  return createServerParts();
}

export function createServerParts(): ServerParts {
  const http = createHttp({ mayOpen: createConnectionLimit() });
  return { http, memory: createServerMemory(), close: http.close };
}

/** Reports whether `Servers` were made by this module. */
export function isServerParts(servers: Servers): servers is ServerParts {
  return 'http' in servers && 'memory' in servers;
}

/** Up to this number the limit is not read: few programs come near it. */
const FEW_CONNECTIONS = 64;

/** Returns the limit of connections to a server. Files and processes need the other descriptors. */
function createConnectionLimit(): (connections: number) => boolean {
  let most: number | undefined;
  return (connections) => {
    if (connections < FEW_CONNECTIONS) return true;
    most ??= Math.floor(descriptorLimit() / 3);
    return connections < most;
  };
}

/** The limit of most systems, for systems that do not tell it. */
const USUAL_LIMIT = 1024;
const OPEN_FILES = /^Max open files\s+(\d+)/m;

/** Returns how many descriptors this process may have open. Node raises its limit as far as it may when it starts. */
function descriptorLimit(): number {
  try {
    const [, limit] = OPEN_FILES.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return limit === undefined ? USUAL_LIMIT : Number(limit);
  } catch {
    return USUAL_LIMIT;
  }
}
