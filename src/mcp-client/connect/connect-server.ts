import type { McpConnection } from '../../base/mcp-connection.ts';
import { connectHttp } from './connect-http.ts';
import { connectObject } from './connect-object.ts';
import type { McpConnectOptions } from './connect-options.ts';
import { connectProcess } from './connect-process.ts';
import { createStartLimit } from './start-limit.ts';

/** Starts a server, or reaches it, and agrees on a revision of the protocol with it. Throws `McpFault`. */
export async function connectServer(options: McpConnectOptions): Promise<McpConnection> {
  const { config, signal } = options;
  const limit = createStartLimit(config, signal);
  try {
    const connection = await connectBy(options, limit.signal);
    options.onRevision(connection.server.revision);
    return connection;
  } finally {
    limit.stop();
  }
}

async function connectBy(options: McpConnectOptions, signal: AbortSignal): Promise<McpConnection> {
  const { config } = options;
  switch (config.type) {
    case 'stdio':
      return await connectProcess(options, signal);
    case 'object':
      return await connectObject(options, config, signal);
    case 'http':
      return await connectHttp(options, config, signal);
  }
}
