import { setTimeout as delay } from 'node:timers/promises';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { McpConnection } from '../../base/mcp-connection.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import type { McpHttpServer } from '../../base/mcp-server-config.ts';
import { createSignIn } from '../oauth/create-sign-in.ts';
import { signedFetch } from '../oauth/signed-fetch.ts';
import { boundedFetch, type Fetch, type StreamFault } from './bounded-fetch.ts';
import type { McpConnectOptions } from './connect-options.ts';
import { createConnection } from './create-connection.ts';
import { faultOf } from './fault-of.ts';
import { httpHeaders } from './http-headers.ts';
import { loadSdk, type Sdk } from './load-sdk.ts';
import { openLink } from './open-link.ts';
import { watchAnswers } from './watch-answers.ts';

/** Statuses with which a server of 2024-11-05 answers the first POST. The specification names them. */
const OLDER = [400, 404, 405];

/** Time that a server has to end a session. */
const END_WAIT_MS = 1000;

/** A way to a server over HTTP. */
interface Way {
  readonly sdk: Sdk;
  readonly url: URL;
  readonly fetch: Fetch;
  readonly last: StreamFault;
  readonly requestInit: { readonly headers: Record<string, string> };
}

/** Connects to a server over streamable HTTP, or by HTTP with SSE if the server is that old. */
export async function connectHttp(
  options: McpConnectOptions,
  config: McpHttpServer,
  signal: AbortSignal,
): Promise<McpConnection> {
  const headers = { ...httpHeaders(config, options.env) };
  const url = addressOf(config);
  const sdk = await loadSdk();
  const last: StreamFault = {};
  const plain = options.fetch ?? globalThis.fetch;
  const fetch = withSignIn(sdk, options, config, boundedFetch(config.name, plain, last), plain);
  const way: Way = { sdk, url, fetch, last, requestInit: { headers } };
  try {
    return await connectStreamable(way, options, signal);
  } catch (error) {
    const isOlder = error instanceof sdk.SdkHttpError && OLDER.includes(error.status) && !signal.aborted;
    const older = isOlder ? await connectSse(way, options, signal).catch(() => undefined) : undefined;
    if (older !== undefined) return older;
    throw signal.aborted ? signal.reason : startFault(faultOf(sdk, config.name, error));
  }
}

/** Returns a fetch that sends tokens of a sign-in. A token of the configuration is sent instead, if there is one. */
function withSignIn(sdk: Sdk, options: McpConnectOptions, config: McpHttpServer, bounded: Fetch, fetch: Fetch): Fetch {
  const { signIn, env } = options;
  const names = [...Object.keys(config.headers), ...Object.keys(config.envHeaders)];
  const hasToken = config.bearerTokenEnvVar !== null || names.some((name) => name.toLowerCase() === 'authorization');
  if (signIn === undefined || hasToken) return bounded;
  return signedFetch(sdk, bounded, createSignIn({ sdk, config, env, fetch, ...signIn }));
}

function addressOf({ name, url }: McpHttpServer): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed;
  throw new McpFault('start', `The address of the MCP server "${name}" is not an http or https address: ${url}`);
}

/** Returns the fault of a start. Only a request that was sent can be lost. */
function startFault(fault: McpFault): McpFault {
  return ['lost', 'timeout', 'refused', 'invalid'].includes(fault.kind) ? new McpFault('start', fault.message) : fault;
}

async function connectStreamable(way: Way, options: McpConnectOptions, signal: AbortSignal): Promise<McpConnection> {
  const { sdk, url, fetch, last, requestInit } = way;
  const transport = new sdk.StreamableHTTPClientTransport(url, { fetch, requestInit });
  watchAnswers(sdk, options.config.name, transport, last);
  const ended = new Promise<string>((resolve) => {
    transport.onclose = () => resolve(`The connection to the MCP server "${options.config.name}" ended.`);
  });
  const link = await openLink(sdk, options, transport, { signal });
  const close = async () => {
    await endSession(transport);
    await link.client.close();
  };
  return createConnection(link, { ended, close });
}

async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  const ending = transport.terminateSession().catch(() => {});
  await Promise.race([ending, delay(END_WAIT_MS, undefined, { ref: false })]);
}

async function connectSse(way: Way, options: McpConnectOptions, signal: AbortSignal): Promise<McpConnection> {
  const { sdk, url, requestInit } = way;
  const server = options.config.name;
  const transport = new sdk.SSEClientTransport(url, { fetch: refusingFetch(server, way.fetch), requestInit });
  const ended = new Promise<string>((resolve) => {
    transport.onclose = () => resolve(`The MCP server "${server}" closed the connection.`);
  });
  transport.onerror = (error) => {
    // The stream would be opened again as a new session, which answers none of the requests of this one.
    if (error instanceof sdk.SseError) void transport.close();
  };
  const link = await openLink(sdk, options, transport, { mode: 'legacy', signal });
  return createConnection(link, { ended, close: () => link.client.close() });
}

/** Returns a fetch that throws the refusal of a message. The SDK has it only in words. */
function refusingFetch(server: string, fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== 'POST' || response.ok || response.status === 401) return response;
    throw new McpFault('refused', `The MCP server "${server}" refused the request: HTTP ${response.status}.`);
  };
}
