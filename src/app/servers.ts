import { readExtraCertificates } from '../config/extra-certificates.ts';
import { createHttp } from '../model/http/create-http.ts';
import type { Http } from '../model/http.ts';
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

/** Makes `Servers` for agents to share: `createAgent({ servers })`. */
export function createServers(): Servers {
  return createServerParts();
}

/** Makes the parts. Variables name further certificates to trust: those in `env`, or those of this process. */
export function createServerParts(env?: Readonly<Record<string, string | undefined>>): ServerParts {
  const http = createHttp({ mayOpen: createConnectionLimit(), certificates: () => readExtraCertificates(env) });
  return { http, memory: createServerMemory(), close: http.close };
}

/** Reports whether `Servers` were made by this module. */
export function isServerParts(servers: Servers): servers is ServerParts {
  return 'http' in servers && 'memory' in servers;
}
