import { messageOf } from '../../base/errors.ts';
import type { McpConnection } from '../../base/mcp-connection.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import type { McpConnectOptions } from './connect-options.ts';
import type { RevisionMode } from './create-client.ts';
import { createConnection } from './create-connection.ts';
import { loadSdk } from './load-sdk.ts';
import { modeFor, openLink } from './open-link.ts';
import { unlessAborted } from './start-limit.ts';
import { createStdioTransport, type StdioTransport } from './stdio-transport.ts';

/**
 * Starts the program of a server and connects to it. A server that ends when it is asked for its revision is started
 * again, and not asked: some end at each request before the handshake.
 */
export async function connectProcess(options: McpConnectOptions, signal: AbortSignal): Promise<McpConnection> {
  const mode = modeFor(options.knownRevision);
  const first = await attempt(options, mode, signal);
  if ('connection' in first) return first.connection;
  if (mode === 'legacy' || first.exitCode === undefined || signal.aborted) throw first.fault;
  const second = await attempt(options, 'legacy', signal);
  if ('connection' in second) return second.connection;
  throw second.fault;
}

type Attempt =
  | { readonly connection: McpConnection }
  | { readonly fault: McpFault; readonly exitCode: number | undefined };

async function attempt(options: McpConnectOptions, mode: RevisionMode, signal: AbortSignal): Promise<Attempt> {
  const { config, onLog } = options;
  const server = config.name;
  // The program starts while the SDK is loaded.
  const starting = options.start();
  const [started, sdk] = await Promise.allSettled([unlessAborted(signal, starting), loadSdk()]);
  if (started.status === 'rejected') {
    void starting.then((late) => late.kill()).catch(() => {});
    if (signal.aborted) throw signal.reason;
    throw new McpFault('start', `The MCP server "${server}" could not be started: ${messageOf(started.reason)}`);
  }
  const process = started.value;
  if (sdk.status === 'rejected') {
    await process.kill();
    throw sdk.reason;
  }
  const transport = createStdioTransport({
    server,
    process,
    onNoise: (line) => onLog('warning', noiseText(server, line)),
  });
  const ended = new Promise<string>((resolve) => {
    transport.onclose = () => resolve(endText(server, transport));
  });
  try {
    const link = await openLink(sdk.value, options, transport, { mode, signal });
    return { connection: createConnection(link, { ended, close: () => link.client.close() }) };
  } catch (error) {
    const why = signal.aborted ? messageOf(signal.reason) : startText(server, transport, error);
    const kind = signal.reason instanceof McpFault ? signal.reason.kind : 'start';
    return { fault: new McpFault(kind, withLastWords(why, transport)), exitCode: transport.exitCode() };
  }
}

function startText(server: string, transport: StdioTransport, error: unknown): string {
  const code = transport.exitCode();
  if (code !== undefined) return `The MCP server "${server}" exited with code ${code} while it started.`;
  return `The MCP server "${server}" did not start as an MCP server: ${messageOf(error)}`;
}

function endText(server: string, transport: StdioTransport): string {
  const code = transport.exitCode();
  const end = code === undefined ? 'was ended' : `exited with code ${code}`;
  return withLastWords(`The MCP server "${server}" ${end}.`, transport);
}

function withLastWords(text: string, transport: StdioTransport): string {
  const words = transport.lastWords();
  return words === '' ? text : `${text} Its last words: ${words}`;
}

const SHOWN_NOISE = 200;

function noiseText(server: string, line: string): string {
  return `The MCP server "${server}" writes lines to its output that are not messages. They are skipped. The first: ${line.slice(0, SHOWN_NOISE)}`;
}
