import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/**
 * Stops listening. Resolves when the last connection is gone.
 *
 * Calls the `close` of `net.Server`, past that of `http.Server`: the latter also ends every idle connection, and counts a
 * connection as idle whose answer was written and has not been read yet. The gain is not speed: an answer to a client that
 * reads slowly is not cut off.
 */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
}
