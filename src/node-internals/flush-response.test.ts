import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { flushResponse } from './flush-response.ts';

test('a response that is flushed is handed to the system before the tick ends', async () => {
  let seen: readonly number[] = [];
  const server = createServer((_request, response) => {
    response.writeHead(200);
    const sent = () => response.socket?.bytesWritten ?? 0;
    response.write('first');
    const waiting = pendingOf(response);
    flushResponse(response);
    seen = [waiting, pendingOf(response), sent()];
    process.nextTick(() => {
      response.write('second');
      response.end();
    });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [message] = await once(get({ port: (server.address() as AddressInfo).port, agent: false }), 'response');
  let body = '';
  for await (const chunk of message) body += chunk;
  // Node's own uncorking of that tick comes later, and must do no harm.
  expect(body).toBe('firstsecond');
  const [waiting, left, sent] = seen;
  expect(waiting).toBeGreaterThan(0);
  expect(left).toBe(0);
  expect(sent).toBeGreaterThan('first'.length);
});

/** Returns the number of corks on the socket, which hold writes back. */
function pendingOf({ socket }: ServerResponse): number {
  return socket?.writableCorked ?? -1;
}
