import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Incoming, Outgoing } from '../client-io.ts';
import { sendText } from '../send-json.ts';
import { ClientConnection, type ClientConnectionOwner } from './client-connection.ts';
import { createFieldLines } from './http-outgoing.ts';

type Handle = ClientConnectionOwner['handle'];

const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT';
const MAX_BODY = 1000;

interface Served {
  readonly port: number;
  readonly connections: ClientConnection[];
  readonly counts: { handled: number; answered: number; gone: number };
}

/** Answers with the request itself. */
const echo: Handle = (incoming, outgoing) => {
  const { method, path, query } = incoming;
  void readAll(incoming).then((body) => sendText(outgoing, 200, `[${method} ${path} ${query} ${body}]`, {}));
};

async function readAll(incoming: Incoming, signal = new AbortController().signal): Promise<string> {
  const body = await incoming.readBody(MAX_BODY, signal);
  return body === undefined ? 'too long' : Buffer.from(body).toString('latin1');
}

async function serve(handle: Handle = echo): Promise<Served> {
  const connections: ClientConnection[] = [];
  const counts = { handled: 0, answered: 0, gone: 0 };
  const owner: ClientConnectionOwner = {
    date: () => DATE,
    linesOf: createFieldLines(),
    handle(incoming, outgoing) {
      counts.handled++;
      handle(incoming, outgoing);
    },
    answered: () => void counts.answered++,
    gone: () => void counts.gone++,
  };
  const server = createServer((socket) => connections.push(new ClientConnection(socket, owner)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const { socket } of connections) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections, counts };
}

function open({ port }: Served): Socket {
  return connect({ port, host: '127.0.0.1', allowHalfOpen: true });
}

/** Sends bytes and returns all that comes until the server ends the connection. */
async function said(served: Served, bytes: string): Promise<string> {
  const socket = open(served);
  socket.write(bytes, 'latin1');
  const answer = await text(socket.setEncoding('latin1'));
  socket.destroy();
  return answer;
}

/** Resolves with all that has come, as soon as it matches. */
async function untilSaid(socket: Socket, wanted: RegExp): Promise<string> {
  let all = '';
  socket.setEncoding('latin1');
  for await (const piece of socket.iterator({ destroyOnReturn: false })) {
    all += piece;
    if (wanted.test(all)) return all;
  }
  throw new Error(`The connection ended after ${JSON.stringify(all)}.`);
}

const HOST = 'host: localhost\r\n';
const CLOSE = 'connection: close\r\n';

test('requests on one connection are answered in their order', async () => {
  const served = await serve();
  const first = `GET /a?b=1 HTTP/1.1\r\n${HOST}\r\n`;
  const second = `POST /b HTTP/1.1\r\n${HOST}content-length: 3\r\n\r\nxyz`;
  const third = `POST /c HTTP/1.1\r\n${HOST}${CLOSE}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n2;e\r\nyz\r\n0\r\nt: u\r\n\r\n`;
  const answers = await said(served, first + second + third);
  expect(answers.match(/\[.*?\]/g)).toEqual(['[GET /a b=1 ]', '[POST /b  xyz]', '[POST /c  xyz]']);
  expect(answers.match(/connection: .*/g)).toEqual([
    'connection: keep-alive',
    'connection: keep-alive',
    'connection: close',
  ]);
  await expect.poll(() => served.counts).toEqual({ handled: 3, answered: 3, gone: 1 });
});

test('a request waits for the answer to the one before', async () => {
  const waiting: Outgoing[] = [];
  const served = await serve((_, outgoing) => void waiting.push(outgoing));
  const socket = open(served);
  const request = `GET / HTTP/1.1\r\n${HOST}\r\n`;
  socket.write(request + request);
  await expect.poll(() => waiting.length).toBe(1);
  sendText(waiting[0] as Outgoing, 200, 'one', {});
  await expect.poll(() => waiting.length).toBe(2);
  sendText(waiting[1] as Outgoing, 200, 'two', {});
  expect(await untilSaid(socket, /two/)).toMatch(/one.*two/s);
});

test('a request may come in any pieces', async () => {
  const served = await serve();
  const socket = open(served).setNoDelay(true);
  for (const byte of `\r\nPOST /b HTTP/1.1\r\n${HOST}content-length: 3\r\n\r\nxyz`) {
    await new Promise((resolve) => socket.write(byte, resolve));
  }
  expect(await untilSaid(socket, /\]/)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\[POST \/b {2}xyz\]$/s);
});

test('the head of an answer', async () => {
  const served = await serve((_, outgoing) => sendText(outgoing, 200, 'ü', { 'x-name': 'caf\xe9' }));
  expect(await said(served, `GET / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`)).toBe(
    `HTTP/1.1 200 OK\r\nx-name: caf\xe9\r\ncontent-length: 2\r\ndate: ${DATE}\r\nconnection: close\r\n\r\n\xc3\xbc`,
  );
});

test('an answer without a length is sent in chunks, with fields after it', async () => {
  const served = await serve((_, outgoing) => {
    outgoing.head(200, { trailer: 'x-end' });
    void outgoing.write('ü');
    void outgoing.write('');
    void outgoing.write(Buffer.from('ab'));
    void outgoing.write('c');
    outgoing.end({ 'x-end': 'yes' });
  });
  expect(await said(served, `GET / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`)).toBe(
    `HTTP/1.1 200 OK\r\ntrailer: x-end\r\ndate: ${DATE}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n` +
      '2\r\n\xc3\xbc\r\n2\r\nab\r\n1\r\nc\r\n0\r\nx-end: yes\r\n\r\n',
  );
});

test('a client of HTTP/1.0 gets no chunks, and the end of the connection ends its answer', async () => {
  const served = await serve((_, outgoing) => {
    expect(outgoing.trailers).toBe(false);
    outgoing.head(200, {});
    void outgoing.write('abc');
    outgoing.end();
  });
  const answer = await said(served, 'GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n');
  expect(answer).toMatch(/connection: close\r\n\r\nabc$/);
  expect(answer).not.toContain('chunked');
});

test('a client of HTTP/1.0 may keep the connection where the length is known', async () => {
  const served = await serve();
  const request = 'GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n';
  expect((await said(served, `${request}GET / HTTP/1.0\r\n\r\n`)).match(/\[/g)).toHaveLength(2);
});

test('an answer to HEAD has no body', async () => {
  const served = await serve((_, outgoing) => queueMicrotask(() => sendText(outgoing, 200, 'abc', {})));
  const answer = await said(served, `HEAD / HTTP/1.1\r\n${HOST}\r\nHEAD / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
  expect(answer.match(/content-length: 3/g)).toHaveLength(2);
  expect(answer).not.toContain('abc');
});

test('an answer that is shorter than it says breaks off', async () => {
  const served = await serve((_, outgoing) => {
    outgoing.head(200, { 'content-length': '5' });
    void outgoing.write('abc');
    outgoing.end();
  });
  expect(await said(served, `GET / HTTP/1.1\r\n${HOST}\r\n`).catch(() => '')).not.toMatch(/abc.+/s);
});

test('a line break in a header of an answer is an error, and is not sent', async () => {
  const errors: unknown[] = [];
  const served = await serve((_, outgoing) => {
    try {
      outgoing.head(200, { 'x-a': 'b\r\nx-c: d' });
    } catch (error) {
      errors.push(error);
      outgoing.abort();
    }
  });
  expect(await said(served, `GET / HTTP/1.1\r\n${HOST}\r\n`).catch(() => '')).toBe('');
  expect(errors).toHaveLength(1);
});

test('a client that waits for it is told to send its body, and only if the body is wanted', async () => {
  const served = await serve();
  const socket = open(served);
  socket.write(`POST /b HTTP/1.1\r\n${HOST}expect: 100-Continue\r\ncontent-length: 3\r\n\r\n`);
  expect(await untilSaid(socket, /\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('xyz');
  expect(await untilSaid(socket, /\]/)).toContain('[POST /b  xyz]');
  const long = `POST /b HTTP/1.1\r\n${HOST}expect: 100-continue\r\ncontent-length: ${MAX_BODY + 1}\r\n\r\n`;
  const answer = await said(served, long);
  expect(answer).toContain('too long');
  expect(answer).not.toContain('100 Continue');
});

test('a body that is too long ends the connection, and its client can read the answer', async () => {
  const served = await serve();
  const socket = open(served);
  socket.write(`POST /b HTTP/1.1\r\n${HOST}transfer-encoding: chunked\r\n\r\n`);
  for (let n = 0; n < 20; n++) socket.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
  const answer = await text(socket.setEncoding('latin1'));
  socket.destroy();
  expect(answer).toMatch(/connection: close.*too long/s);
});

test('an exchange that ends while its body comes stops reading it', async () => {
  const ending = new AbortController();
  const results: unknown[] = [];
  const served = await serve((incoming, outgoing) => {
    void readAll(incoming, ending.signal).catch((error: Error) => {
      results.push(error.message);
      sendText(outgoing, 408, 'late', {});
    });
  });
  const socket = open(served);
  socket.write(`POST /b HTTP/1.1\r\n${HOST}content-length: 3\r\n\r\nx`);
  await expect.poll(() => served.counts.handled).toBe(1);
  ending.abort();
  expect(await untilSaid(socket, /late/)).toContain('connection: close');
  expect(results).toEqual(['The exchange was over before its request was read.']);
});

test.each([
  ['a missing host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['two hosts', `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`, 400],
  ['two lengths', `POST / HTTP/1.1\r\n${HOST}content-length: 1\r\ncontent-length: 1\r\n\r\nx`, 400],
  [
    'a length and chunks',
    `POST / HTTP/1.1\r\n${HOST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['a length that is no number', `POST / HTTP/1.1\r\n${HOST}content-length: +1\r\n\r\nx`, 400],
  ['another transfer coding', `POST / HTTP/1.1\r\n${HOST}transfer-encoding: gzip, chunked\r\n\r\n`, 501],
  ['chunks from a client of HTTP/1.0', 'POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n', 501],
  ['a blank before a colon', `GET / HTTP/1.1\r\n${HOST}a : b\r\n\r\n`, 400],
  ['a folded line', `GET / HTTP/1.1\r\n${HOST}a: b\r\n c\r\n\r\n`, 400],
  ['a line feed alone', `GET / HTTP/1.1\r\n${HOST}a: b\nc: d\r\n\r\n`, 400],
  ['a method that nobody knows', `BREW / HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['another version', `GET / HTTP/2.0\r\n${HOST}\r\n`, 400],
  ['bytes of TLS', '\x16\x03\x01\x02\x00', 400],
  ['a long head', `GET / HTTP/1.1\r\n${HOST}a: ${'b'.repeat(20_000)}\r\n\r\n`, 431],
  ['a head that never ends', `GET /${'b'.repeat(20_000)}`, 431],
  ['another expectation', `GET / HTTP/1.1\r\n${HOST}expect: a miracle\r\n\r\n`, 417],
])('%s is refused', async (_, bytes, status) => {
  const served = await serve();
  const answer = await said(served, `${bytes}GET /smuggled HTTP/1.1\r\n${HOST}\r\n`);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(answer).toContain('connection: close');
  expect(JSON.parse(answer.slice(answer.indexOf('{'))).error.message).toMatch(/^The .*\.$/);
  expect(served.counts.answered).toBe(served.counts.handled);
  expect(answer).not.toContain('smuggled');
});

test('a broken chunk is refused, and the exchange ends as if its client had left', async () => {
  const ending = new AbortController();
  const results: boolean[] = [];
  const served = await serve((incoming, outgoing) => {
    incoming.onLeft(() => ending.abort());
    void readAll(incoming, ending.signal).catch(() => {
      results.push(incoming.left);
      outgoing.abort();
    });
  });
  const answer = await said(served, `POST / HTTP/1.1\r\n${HOST}transfer-encoding: chunked\r\n\r\nzz\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 400 .*\}$/s);
  expect(results).toEqual([true]);
  expect(served.counts).toMatchObject({ handled: 1, answered: 1 });
});

test('a client that leaves is noticed', async () => {
  let left = 0;
  const served = await serve((incoming, outgoing) => {
    incoming.onLeft(() => void left++);
    outgoing.head(200, {});
    void outgoing.write('begun');
    outgoing.flush();
  });
  const socket = open(served);
  socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
  await untilSaid(socket, /begun/);
  socket.destroy();
  await expect.poll(() => left).toBe(1);
  expect(served.counts).toEqual({ handled: 1, answered: 1, gone: 1 });
});

test('a client that reads slowly is waited for', async () => {
  const chunk = 'x'.repeat(1_000_000);
  let waits = 0;
  const served = await serve((_, outgoing) => {
    void (async () => {
      outgoing.head(200, {});
      for (let n = 0; n < 20; n++) {
        const full = outgoing.write(chunk);
        if (full !== undefined) waits++;
        await full;
      }
      outgoing.end();
    })();
  });
  const socket = open(served);
  socket.write(`GET / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
  await expect.poll(() => waits).toBeGreaterThan(0);
  expect(served.counts.answered).toBe(0);
  const answer = await text(socket.setEncoding('latin1'));
  expect(answer.match(/x+/g)?.join('')).toHaveLength(20_000_000);
  socket.destroy();
  await expect.poll(() => served.counts).toEqual({ handled: 1, answered: 1, gone: 1 });
});

test('a silent connection ends after its time, and half a head is answered with 408', async () => {
  const served = await serve();
  const silent = open(served);
  const half = open(served);
  half.write('GET / HT');
  await expect.poll(() => served.connections.length).toBe(2);
  await expect.poll(() => served.connections.some(({ socket }) => socket.bytesRead > 0)).toBe(true);
  for (const connection of served.connections) connection.checkTime(performance.now() + 29_000);
  expect(served.counts.gone).toBe(0);
  for (const connection of served.connections) connection.checkTime(performance.now() + 31_000);
  expect(await text(silent)).toBe('');
  expect(await text(half)).toMatch(/^HTTP\/1\.1 408 /);
});

test('a connection is kept for a while between requests', async () => {
  const served = await serve();
  const socket = open(served);
  socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
  await untilSaid(socket, /\]/);
  const [connection] = served.connections;
  connection?.checkTime(performance.now() + 70_000);
  socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
  await untilSaid(socket, /\]/);
  connection?.checkTime(performance.now() + 80_000);
  expect(await text(socket)).toBe('');
});

test('an exchange has no time limit of its connection', async () => {
  const served = await serve(() => {});
  const socket = open(served);
  socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
  await expect.poll(() => served.counts.handled).toBe(1);
  served.connections[0]?.checkTime(performance.now() + 1e9);
  expect(served.counts.gone).toBe(0);
  socket.destroy();
});
