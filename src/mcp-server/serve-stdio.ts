import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer, type ServedParts } from './create-server.ts';

/** The pipes between the server and its client. */
export interface ClientPipes {
  readonly input: Readable;
  readonly output: Writable;
}

/** The most bytes of one message of the client. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Serves the client at the other end of two pipes. Resolves when the client has gone, or when `stop` aborts. */
export async function serveOverStdio(
  parts: ServedParts,
  { input, output }: ClientPipes,
  stop: AbortSignal,
): Promise<void> {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MOST_BYTES });
  const served = serveStdio(() => createServer(parts), { transport, onerror: parts.onError });
  await new Promise<void>((resolve) => {
    // The client has gone when its end of either pipe is closed.
    input.once('close', resolve).once('end', resolve);
    output.once('close', resolve).once('error', resolve);
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  await served.close();
  input.destroy();
}
