import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { returnFraming, takeFraming, writeChunk } from './chunk-framing.ts';

/** Returns the body of one answer as it stands on the connection. */
async function bodyOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  const all = await text(socket);
  return all.slice(all.indexOf('\r\n\r\n') + 4);
}

const HEADERS = { trailer: 'x-end' };

test('chunks that are framed here are on the connection as if Node had framed them', async () => {
  const pieces = ['plain', 'größer', Buffer.from('bytes'), '💧'.repeat(9)];
  const own = await bodyOf((_request, response) => {
    response.writeHead(200, HEADERS);
    expect(takeFraming(response)).toBe(true);
    for (const piece of pieces) writeChunk(response, piece);
    returnFraming(response);
    response.addTrailers({ 'x-end': 'yes' });
    response.end();
  });
  const ofNode = await bodyOf((_request, response) => {
    response.writeHead(200, HEADERS);
    for (const piece of pieces) response.write(piece);
    response.addTrailers({ 'x-end': 'yes' });
    response.end();
  });
  expect(own).toBe(ofNode);
  expect(own).toMatch(/^5\r\nplain\r\n8\r\ngrößer\r\n[\s\S]*\r\n0\r\nx-end: yes\r\n\r\n$/);
});

test('a chunk is one write on the socket; Node makes several of it', async () => {
  const writes = { own: 0, ofNode: 0 };
  const answerWith = (framed: boolean): RequestListener => {
    return (_request, response) => {
      response.writeHead(200);
      response.flushHeaders();
      if (framed) takeFraming(response);
      const { socket } = response;
      const write = socket?.write.bind(socket);
      if (socket && write) {
        socket.write = ((...args: Parameters<typeof write>) => {
          writes[framed ? 'own' : 'ofNode']++;
          return write(...args);
        }) as typeof socket.write;
      }
      if (framed) writeChunk(response, 'text');
      else response.write('text');
      if (framed) returnFraming(response);
      setImmediate(() => response.end());
    };
  };
  await bodyOf(answerWith(true));
  await bodyOf(answerWith(false));
  // Each has one more for the last chunk.
  expect(writes.own).toBe(2);
  expect(writes.ofNode).toBeGreaterThan(2);
});

test('a response that is not chunked or has another write is left to Node', async () => {
  await bodyOf((_request, response) => {
    response.writeHead(200, { 'content-length': '2' });
    expect(takeFraming(response)).toBe(false);
    response.end('ok');
  });
  const body = await bodyOf((_request, response) => {
    const write = response.write.bind(response);
    response.write = (bytes: string) => write(bytes.toUpperCase());
    response.writeHead(200);
    expect(takeFraming(response)).toBe(false);
    response.write('ok');
    response.end();
  });
  expect(body).toBe('2\r\nOK\r\n0\r\n\r\n');
});
