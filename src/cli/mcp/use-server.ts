import { connectToServer } from '../../app/commands/mcp-servers.ts';
import type { McpConnection } from '../../base/mcp-connection.ts';
import type { Config } from '../../config/load-config.ts';
import { interruptible } from './interruptible.ts';
import type { ListedServer } from './load-servers.ts';

/** Connects to a server, uses the connection, and closes it. Ctrl-C ends all of it. Returns the exit code. */
export function useServer(
  config: Config,
  server: ListedServer,
  use: (connection: McpConnection, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  return interruptible(async (signal) => {
    const connection = await connectToServer(config, server, signal);
    try {
      return await use(connection, signal);
    } finally {
      await connection.close();
    }
  });
}
