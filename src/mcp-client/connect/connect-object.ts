import { messageOf } from '../../base/errors.ts';
import type { McpConnection } from '../../base/mcp-connection.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import type { McpObjectServer } from '../../base/mcp-server-config.ts';
import type { McpConnectOptions } from './connect-options.ts';
import { createConnection } from './create-connection.ts';
import { loadSdk } from './load-sdk.ts';
import { openLink } from './open-link.ts';

/** Connects to a server that is an object of this process, over a pair of transports that are linked. */
export async function connectObject(
  options: McpConnectOptions,
  { name, server }: McpObjectServer,
  signal: AbortSignal,
): Promise<McpConnection> {
  const sdk = await loadSdk();
  const [ours, theirs] = sdk.InMemoryTransport.createLinkedPair();
  const ended = new Promise<string>((resolve) => {
    ours.onclose = () => resolve(`The MCP server "${name}" closed the connection.`);
  });
  try {
    await server.connect(theirs as never);
    const link = await openLink(sdk, options, ours, { signal });
    return createConnection(link, { ended, close: () => link.client.close() });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new McpFault('start', `The MCP server "${name}" did not start as an MCP server: ${messageOf(error)}`);
  }
}
