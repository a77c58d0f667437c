import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { stopListening } from './stop-listening.ts';

/** More than the buffers of a connection hold, so that most of it waits in the server. */
const ANSWER = Buffer.alloc(32 * 1024 * 1024, 'x');

test('an answer that was written and not read yet is not cut off', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': ANSWER.length });
    response.end(ANSWER);
  });
  onTestFinished(() => server.closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'readable');
  // The server has written all and has seen the whole request.
  await delay(0);

  const stopped = stopListening(server);
  const late = connect(port, '127.0.0.1');
  const [error] = await once(late, 'error');
  expect(error.code).toBe('ECONNREFUSED');
  let size = 0;
  socket.on('data', (bytes) => {
    size += bytes.length;
    if (size > ANSWER.length) socket.end();
  });
  await stopped;
  expect(size).toBeGreaterThan(ANSWER.length);
});
