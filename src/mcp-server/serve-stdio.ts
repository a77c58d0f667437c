import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer, type ServerParts } from './create-server.ts';

/** The most bytes of one message of the client. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Serves the client at the other end of stdin and stdout. Resolves when the client has gone, or when `stop` aborts.
 */
export async function serveOverStdio(parts: ServerParts, stop: AbortSignal): Promise<void> {
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MOST_BYTES });
  const served = serveStdio(() => createServer(parts), { transport, onerror: parts.onError });
  const gone = new Promise<void>((resolve) => {
    // The client has gone when its end of either pipe is closed.
    process.stdin.once('close', resolve).once('end', resolve);
    process.stdout.once('close', resolve).once('error', resolve);
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  await gone;
  await served.close();
  process.stdin.destroy();
}
