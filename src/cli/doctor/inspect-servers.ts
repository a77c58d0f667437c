import { connectToServer } from '../../app/commands/mcp-servers.ts';
import { messageOf } from '../../base/errors.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import { redactUrl } from '../../base/redact-url.ts';
import type { Config } from '../../config/load-config.ts';
import { AUTH_WORDS, authStatus } from '../mcp/auth-status.ts';
import type { ListedServer } from '../mcp/load-servers.ts';
import type { Row } from './checks.ts';

/** Longest wait for a server. One that needs longer would keep the other rows from the user. */
const MOST_WAIT_MS = 10_000;

/** Finding about a server. */
type Finding =
  | { readonly state: 'ready'; readonly tools: number }
  | { readonly state: 'failed' | 'slow'; readonly why: string; readonly wantsSignIn: boolean }
  | { readonly state: 'disabled' };

/** Starts the servers of the configuration, or connects to them, all at once. Returns a row about each of them. */
export function inspectServers(config: Config): Promise<Row[]> {
  const listed = config.tools.mcp.servers.filter((server) => server.type !== 'object');
  return Promise.all(
    listed.map(async (server) => {
      const [finding, auth] = await Promise.all([tryServer(config, server), authStatus(config, server)]);
      // A server that lets us in without a token wants no sign-in.
      const isOpen = finding.state === 'ready' && auth === 'not_logged_in';
      return rowOf(server, finding, isOpen ? 'unsupported' : auth);
    }),
  );
}

async function tryServer(config: Config, server: ListedServer): Promise<Finding> {
  if (!server.enabled) return { state: 'disabled' };
  const waitMs = Math.min(server.startupTimeoutMs, MOST_WAIT_MS);
  const signal = AbortSignal.timeout(waitMs);
  try {
    const connection = await connectToServer(config, server, signal);
    try {
      const tools = connection.server.has.tools ? await connection.listTools(signal) : [];
      return { state: 'ready', tools: tools.length };
    } finally {
      await connection.close();
    }
  } catch (error) {
    const isSlow = signal.aborted && waitMs < server.startupTimeoutMs;
    const why = isSlow ? `not ready after ${waitMs / 1000} s` : messageOf(error);
    const wantsSignIn = error instanceof McpFault && error.kind === 'sign_in';
    return { state: isSlow ? 'slow' : 'failed', why, wantsSignIn };
  }
}

function rowOf(server: ListedServer, finding: Finding, auth: keyof typeof AUTH_WORDS): Row {
  const { name, required } = server;
  const transport = server.type === 'stdio' ? 'stdio' : 'streamable_http';
  const tools = finding.state === 'ready' ? finding.tools : null;
  const place = server.type === 'stdio' ? server.command : `${redactUrl(server.url)}, ${AUTH_WORDS[auth]}`;
  const row = {
    id: `mcp_servers.${name}`,
    mcp: { server: name, state: finding.state, transport, tools, auth },
  } as const;
  switch (finding.state) {
    case 'ready':
      return { ...row, status: 'ok', what: `${place}: ${countOf(finding.tools)}`, fix: null };
    case 'disabled':
      return { ...row, status: 'ok', what: `${place}: disabled`, fix: null };
    default:
      return {
        ...row,
        status: required && finding.state === 'failed' ? 'fail' : 'warn',
        what: `${place}: ${finding.why}`,
        fix: finding.wantsSignIn ? `oxbow mcp login ${name}` : `try it alone: oxbow mcp tools ${name}`,
      };
  }
}

const countOf = (tools: number) => (tools === 1 ? '1 tool' : `${tools} tools`);
