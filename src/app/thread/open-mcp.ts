import { resolve } from 'node:path';
import type { McpServerConfig, McpStdioServer } from '../../base/mcp-server-config.ts';
import type { McpServerState } from '../../base/mcp-state.ts';
import type { Config } from '../../config/load-config.ts';
import { startPiped } from '../../exec/start/start-piped.ts';
import { connectServer } from '../../mcp-client/connect/connect-server.ts';
import { createMcpServers } from '../../mcp-client/create-mcp-servers.ts';
import type { McpConnectHooks } from '../../mcp-client/mcp-server.ts';
import { createMcpTools } from '../../mcp-client/mcp-tools.ts';
import type { HttpSender } from '../../model/http.ts';
import { createHttpFetch } from '../../model/http-fetch.ts';
import { openCredentialsFile } from '../../store/files/credentials-file.ts';
import { BUILT_IN_TOOLS } from '../../tools/registry.ts';
import type { AgentParts } from '../agent-parts.ts';
import { idempotencyKey } from '../options/idempotency-key.ts';
import type { AgentMcp } from '../servers.ts';
import { flatName } from './tool-source.ts';
import { warnAs } from './warn-as.ts';

/** Parts of an agent that its MCP servers need. */
export interface McpParts extends Pick<AgentParts, 'world' | 'knownWires'> {
  /** Sends the requests of servers behind an address. */
  readonly http: HttpSender;
}

export function openMcp(config: Config, configured: readonly McpServerConfig[], parts: McpParts): AgentMcp {
  const servers = createMcpServers({
    servers: configured,
    world: parts.world,
    connect: (server, hooks) => connectMcp(config, server, hooks, parts),
  });
  return {
    servers,
    async join({ tools: own }, emit) {
      const { startupGraceMs } = config.tools.mcp;
      const isAwaited = startupGraceMs > 0 || configured.some(({ required }) => required);
      const later = isAwaited ? undefined : setTimeout(servers.start, START_MS);
      if (isAwaited) servers.start();
      await servers.requireAll();
      const report = reporter(emit);
      for (const server of servers.servers) report(server.state());
      const unsubscribe = servers.subscribe(report);
      const unfollow = servers.followLogs((line) => {
        if (SHOWN_LEVELS.has(line.level)) emit({ type: 'mcp.log', ...line }, null);
      });
      let ready: Promise<void> | undefined;
      return {
        tools: createMcpTools(servers, { isTaken: (name) => isTaken(name, own()), keyOf: idempotencyKey }),
        ready(signal) {
          ready ??= servers.settle(startupGraceMs, signal);
          return ready;
        },
        begin() {
          clearTimeout(later);
          servers.start();
        },
        leave() {
          clearTimeout(later);
          unsubscribe();
          unfollow();
        },
      };
    },
  };
}

/** Time after which servers start that no request waits for, if no request was sent by then. */
const START_MS = 250;

/** Levels of lines that are worth an event. */
const SHOWN_LEVELS: ReadonlySet<string> = new Set(['warning', 'error', 'critical', 'alert', 'emergency']);

/** Returns the function that reports states as events, and a failure as a warning too. */
function reporter(emit: Emit): (state: McpServerState) => void {
  const warn = warnAs(emit, 'mcp');
  return (state) => {
    emit({ type: 'mcp.state', ...state }, null);
    if (state.status === 'failed' && state.message !== null) warn(state.message);
  };
}

type Emit = Parameters<AgentMcp['join']>[1];

function isTaken(name: string, own: ReturnType<AgentParts['tools']>): boolean {
  return [...BUILT_IN_TOOLS, ...own].some((tool) =>
    [tool.name, ...(tool.aliases ?? [])].some(
      (one) => flatName('namespace' in tool ? tool.namespace : undefined, one) === name,
    ),
  );
}

/** Name of this client in requests over HTTP. */
export const USER_AGENT = `oxbow/${OXBOW_VERSION}`;

/** Connects to a server of the configuration. Throws `McpFault`. */
export function connectMcp(
  config: Config,
  server: McpServerConfig,
  { signal, onToolsChanged, onLog }: McpConnectHooks,
  { world, knownWires, http }: McpParts,
) {
  const place = placeOf(server);
  const knownRevision = place === undefined ? undefined : knownWires.get(place);
  return connectServer({
    config: server,
    start: () => startPiped(commandOf(config, server as McpStdioServer, world.uuid())),
    env: config.env,
    fetch: createHttpFetch(http, USER_AGENT),
    clientInfo: { name: 'oxbow', version: OXBOW_VERSION },
    ...(config.usesHome && { signIn: { credentials: openCredentialsFile(config.home) } }),
    ...(knownRevision === undefined ? {} : { knownRevision }),
    onRevision(revision) {
      if (place !== undefined && revision !== knownRevision) knownWires.set(place, revision);
    },
    sampling: server.sampling ?? false,
    roots: () => [config.cwd],
    onToolsChanged,
    onLog,
    signal,
  });
}

/** Returns the name under which the revision of a server is remembered. An object of this process has none. */
function placeOf(server: McpServerConfig): string | undefined {
  if (server.type === 'object') return undefined;
  return `mcp ${server.type === 'http' ? server.url : JSON.stringify([server.command, ...server.args])}`;
}

/** Variables that every server gets, as in Codex. */
const PASSED_ON = [
  ...'HOME LOGNAME PATH SHELL USER LANG LC_ALL TERM TMPDIR TZ __CF_USER_TEXT_ENCODING'.split(' '),
  ...'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE'.split(' '),
];

function commandOf(config: Config, { command, args, env, envVars, cwd }: McpStdioServer, id: string) {
  const passed = [...PASSED_ON, ...envVars].flatMap((name) => {
    const value = config.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    argv: [command, ...args],
    cwd: resolve(config.cwd, cwd ?? '.'),
    env: { ...Object.fromEntries(passed), ...env },
    id: `mcp ${id}`,
  };
}
