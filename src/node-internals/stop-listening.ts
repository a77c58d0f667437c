import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/**
 * Stops listening. Resolves when the last connection is gone.
 *
 * Relies on `http.Server` being a `net.Server`, and calls the `close` of the latter. The `close` of `http.Server` also ends
 * every idle connection, and counts a connection as idle whose answer was written and has not been read yet. The gain is not
 * speed: an answer to a client that reads slowly is not cut off. stop-listening.test.ts notices when it is.
 */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
}
