import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ClientError, plainErrorBody } from '../../wire/edge/client-error.ts';

const REFUSAL = new ClientError('The gateway speaks no WebSocket. Use plain HTTP on the same path.', {
  status: 426,
  code: 'upgrade_not_supported',
});

/**
 * Handles the event `upgrade` of a server: refuses and closes the connection, so that clients continue with plain HTTP.
 */
export function refuseUpgrade(_request: IncomingMessage, socket: Duplex): void {
  const body = JSON.stringify(plainErrorBody(REFUSAL));
  const head = [
    'HTTP/1.1 426 Upgrade Required',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
