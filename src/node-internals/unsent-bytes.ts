import type { Socket } from 'node:net';

/**
 * Returns a number that changes when the system has taken bytes of a socket, and is 0 when it has taken all.
 *
 * Relies on `writeQueueSize` of the handle, by which Node itself tells whether a socket is idle. The documented numbers
 * count a write as sent when it begins, or as unsent until it ends. The gain is not speed: a server that reads nothing
 * counts as silent, and a slow one does not. Without the field, a single long write to a slow server counts as silence.
 */
export function unsentBytes(socket: Socket): number {
  if (socket.writableLength === 0) return 0;
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  // A whole number and a fraction, because the sum of both may be the same after a write has ended and another begun.
  return socket.writableLength + (handle?.writeQueueSize ?? 0) / 2 ** 40;
}
