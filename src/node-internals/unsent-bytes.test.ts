import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { unsentBytes } from './unsent-bytes.ts';

test('the number changes while a single long write is being sent, and is 0 at its end', async () => {
  const server = createServer({ pauseOnConnect: true });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[peer]] = await Promise.all([once(server, 'connection'), once(socket, 'connect')]);
  onTestFinished(() => {
    socket.destroy();
    peer.destroy();
    server.close();
  });
  expect(unsentBytes(socket)).toBe(0);
  const written = new Promise((resolve) => socket.write(Buffer.alloc(64 * 1024 * 1024), resolve));
  const before = unsentBytes(socket);
  let size = 0;
  const changed = new Promise<number>((resolve) => {
    peer.on('data', ({ length }: Buffer) => {
      size += length;
      if (size > 16 * 1024 * 1024) resolve(unsentBytes(socket));
    });
  });
  peer.resume();
  expect(await changed).toBeLessThan(before);
  await written;
  expect(unsentBytes(socket)).toBe(0);
});
