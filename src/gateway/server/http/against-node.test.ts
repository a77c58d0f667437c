import { once } from 'node:events';
import { createServer as createNodeServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bytes, chunk, cut, headerValue, mixedCase, oneOf, trailers } from '../../../model/http/fixtures/http-texts.ts';
import type { Incoming, Outgoing } from '../client-io.ts';
import { sendText } from '../send-json.ts';
import { ClientConnection } from './client-connection.ts';
import { createFieldLines } from './http-outgoing.ts';

/** A request that a server has read to its end. */
interface Seen {
  readonly method: string | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

const NAMES = ['authorization', 'connection', 'constructor', 'content-type', 'cookie', 'host', 'user-agent', 'x-a'];
const MAX_BODY = 100_000;

interface NamedDifference {
  readonly name: string;
  readonly when: RegExp;
  readonly example: string;
}

const CHUNKED = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';

/** Requests that ours reads and the one of Node refuses. Decision 29 has the reasons. */
const DIFFERENCES: readonly NamedDifference[] = [
  {
    name: 'blanks and any extension after the size of a chunk',
    when: /transfer-encoding:.*\r\n[\da-f]+[ \t;]/is,
    example: `${CHUNKED}2 ; a b\r\nab\r\n0\r\n\r\n`,
  },
];

/** The same bytes, cut at the same places, are read by our server and by that of Node. */
describe.sequential('our server and the one of Node', () => {
  test(
    'read valid requests in the same way',
    () => run(requests(), 300, (ours, node) => expect(ours).toEqual(node)),
    60_000,
  );

  test(
    'ours reads nothing that the one of Node does not read in the same way',
    () => run(broken(), 800, stricter),
    120_000,
  );

  test('ours reads no request in bytes that hold none', () => run(garbage(), 300, stricter), 60_000);

  /** A difference that no longer exists must be removed from the table. */
  test.each(DIFFERENCES)('differ: $name', async ({ example, when }) => {
    expect(when.test(example)).toBe(true);
    expect([await readBy(ours, [example]), await readBy(node, [example])]).toMatchObject([[{ body: 'ab' }], []]);
  });
});

function run(
  bytes: fc.Arbitrary<string>,
  numRuns: number,
  compare: (ours: readonly Seen[], node: readonly Seen[], sent: string) => void,
): Promise<void> {
  const places = fc.array(fc.nat(), { maxLength: 4 });
  return fc.assert(
    fc.asyncProperty(bytes, places, async (sent, at) => {
      const pieces = cut(sent, at).filter((piece) => piece !== '');
      compare(await readBy(ours, pieces), await readBy(node, pieces), sent);
    }),
    { numRuns },
  );
}

function stricter(ours: readonly Seen[], node: readonly Seen[], sent: string): void {
  if (DIFFERENCES.some(({ when }) => when.test(sent)) && ours.length > node.length) return;
  expect(ours).toEqual(node.slice(0, ours.length));
}

let ours: Server;
let node: Server;
let seen: Seen[] = [];

beforeAll(async () => {
  const owner = { date: () => '', linesOf: createFieldLines(), handle: answer, answered() {}, gone() {} };
  ours = createServer({ noDelay: true }, (socket) => new ClientConnection(socket, owner));
  node = createNodeServer(answerOverNode);
  for (const server of [ours, node]) await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterAll(() => {
  for (const server of [ours, node]) server.close();
});

async function answer(incoming: Incoming, outgoing: Outgoing): Promise<void> {
  const { method, path, query } = incoming;
  const body = await incoming.readBody(MAX_BODY, new AbortController().signal);
  const headers = Object.fromEntries(NAMES.map((name) => [name, own(incoming.header(name))]));
  seen.push({ method, path: pathOf(path, query), headers, body: Buffer.from(body ?? []).toString('latin1') });
  sendText(outgoing, 200, 'ok', {});
}

function answerOverNode(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.setEncoding('latin1');
  request.on('data', (piece) => {
    body += piece;
  });
  request.on('error', () => {});
  request.on('end', () => {
    const { method, url = '', headers } = request;
    const [path = '', query = ''] = url.split(/[?#](.*)/s);
    const shown = Object.fromEntries(NAMES.map((name) => [name, own(headers[name])]));
    seen.push({ method, path: pathOf(path, query), headers: shown, body });
    response.end('ok');
  });
}

/** Ignores what every object has. */
function own(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function pathOf(path: string, query: string): string {
  return `${path} ${query}`;
}

/** Sends pieces to a server, one in each round of the event loop. Returns the requests that it read. */
async function readBy(server: Server, pieces: readonly string[]): Promise<readonly Seen[]> {
  seen = [];
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'connect');
  for (const piece of pieces) {
    socket.write(piece, 'latin1');
    await rounds();
  }
  await rounds();
  const closed = once(socket, 'close');
  socket.end();
  if (!socket.destroyed) await closed;
  return seen;
}

/** Waits until the other side of a connection in this process has done what it can. */
async function rounds(): Promise<void> {
  for (let n = 0; n < 4; n++) await nextRound();
}

const field = () =>
  fc
    .tuple(oneOf(...NAMES.filter((name) => name !== 'host' && name !== 'connection')).chain(mixedCase), headerValue())
    .map(([name, text]) => `${name}:${text}\r\n`);

const fields = () =>
  fc
    .tuple(fc.array(field(), { maxLength: 5 }), oneOf('', '', 'connection: keep-alive\r\n', 'Connection: x, CLOSE\r\n'))
    .map(([all, connection]) => `${all.join('')}${connection}`);

/** Returns rests of requests: the header that says how the body ends, the end of the head, and the body. */
const framed = () =>
  fc.oneof(
    fc.constant('\r\n'),
    bytes(40).map((text) => `content-length: ${text.length}\r\n\r\n${text}`),
    fc
      .tuple(fc.array(chunk(), { maxLength: 4 }), oneOf('0', '000'), trailers())
      .map(([chunks, last, ends]) => `Transfer-Encoding: Chunked\r\n\r\n${chunks.join('')}${last}\r\n${ends}\r\n`),
  );

const request = () =>
  fc
    .tuple(
      oneOf('', '', '\r\n', '\r\n\r\n'),
      oneOf('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
      oneOf('/', '/v1/models', '/a?b=c&d', '/a?', '/%7e/!$', '*', 'http://localhost/a'),
      fields(),
      framed(),
    )
    .map(
      ([before, method, target, lines, rest]) =>
        `${before}${method} ${target} HTTP/1.1\r\nhost: localhost\r\n${lines}${rest}`,
    );

/** Returns one to three requests, one right after the other. */
function requests(): fc.Arbitrary<string> {
  return fc.array(request(), { minLength: 1, maxLength: 3 }).map((all) => all.join(''));
}

/** Characters and words that mean something in HTTP, or are forbidden there. */
const ODD = [
  ...'\r\n \t:;,0159aFxH/.\0\x0b\x7f\xa0',
  '\r\n',
  '\r\n\r\n',
  '\n\n',
  '\r\n ',
  ' \r\n',
  'GET / HTTP/1.1\r\nhost: a\r\n\r\n',
  ' HTTP/1.0\r\n',
  'host: b\r\n',
  'content-length: 3\r\n',
  'content-length: ',
  'transfer-encoding: chunked\r\n',
  'transfer-encoding: ',
  'gzip',
  'identity',
  'connection: close\r\n',
  'upgrade: x\r\nconnection: upgrade\r\n',
  'expect: 100-continue\r\n',
  '0\r\n\r\n',
] as const;

const change = () =>
  fc.record({
    at: fc.nat(),
    remove: fc.nat({ max: 3 }),
    insert: fc.oneof(fc.constantFrom('', ...ODD), bytes(2)),
  });

function broken(): fc.Arbitrary<string> {
  const changes = fc.array(change(), { minLength: 1, maxLength: 3 });
  return fc.tuple(requests(), changes).map(([text, all]) =>
    all.reduce((now, { at, remove, insert }) => {
      const place = at % (now.length + 1);
      return now.slice(0, place) + insert + now.slice(place + remove);
    }, text),
  );
}

function garbage(): fc.Arbitrary<string> {
  return fc.array(fc.oneof(fc.constantFrom(...ODD), bytes(10))).map((all) => all.join(''));
}
