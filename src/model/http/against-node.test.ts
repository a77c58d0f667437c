import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttp } from './create-http.ts';
import { bytes, chunk, cut, headerValue, mixedCase, oneOf, trailers } from './fixtures/http-texts.ts';

type End = 'whole' | 'broken' | 'refused';

/** The result of a client. `broken`: the head was accepted, and the body did not end. */
interface Seen {
  status?: number | undefined;
  headers?: object;
  body: string;
  end: End;
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const AB = 'content-length: 2\r\n\r\nab';

type Stricter = 'ours' | 'node' | 'neither';

interface NamedDifference {
  readonly name: string;
  /** The client that accepts less. */
  readonly stricter: Stricter;
  readonly when: RegExp;
  readonly example: string;
  /** The first version of Node whose client is as ours. */
  readonly until?: number;
}

/** The intended differences. Decision 11 has the reasons. */
const DIFFERENCES: readonly NamedDifference[] = [
  {
    name: 'versions other than 1.0 and 1.1',
    stricter: 'ours',
    when: /HTTP\/(?:0\.9|2\.0) /,
    example: `HTTP/2.0 200 OK\r\n${AB}`,
  },
  {
    name: 'a status below 100',
    stricter: 'ours',
    when: /HTTP\/1\.[01] 0\d\d/,
    example: `HTTP/1.1 099 OK\r\n${AB}`,
  },
  {
    name: 'a carriage return instead of the line feed after the status',
    stricter: 'ours',
    when: /HTTP\/1\.[01] \d{3}[^\r\n]*\r\r/,
    example: `HTTP/1.1 200 OK\r\r${AB}`,
    until: 22,
  },
  {
    name: 'a change of protocol',
    stricter: 'ours',
    when: /HTTP\/1\.[01] 101/,
    example: `HTTP/1.1 101 Switching\r\n\r\n${OK}${AB}`,
  },
  {
    name: 'a transfer coding other than chunked',
    stricter: 'ours',
    when: /transfer-encoding:[ \t]*(?!(?:chunked|identity) *\r\n)|transfer-encoding:.*transfer-encoding:/is,
    example: `${OK}transfer-encoding: gzip, chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`,
  },
  {
    name: 'a length of 16 digits or more',
    stricter: 'ours',
    when: /content-length:[ \t]*0*[1-9]\d{15}/i,
    example: `${OK}content-length: 1000000000000000\r\n\r\nab`,
  },
  {
    name: 'the same length twice',
    stricter: 'node',
    when: /content-length:.*content-length:/is,
    example: `${OK}content-length: 2\r\n${AB}`,
  },
  {
    name: 'a length and a transfer coding',
    stricter: 'node',
    when: /content-length:.*transfer-encoding:|transfer-encoding:.*content-length:/is,
    example: `${OK}content-length: 9\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`,
  },
  {
    name: 'a length among the trailers',
    stricter: 'node',
    when: /transfer-encoding:.*\r\n0+[^\n]*\r\n.*content-length:/is,
    example: `${CHUNKED}2\r\nab\r\n0\r\ncontent-length: 9\r\n\r\n`,
  },
  {
    name: 'a tab after a length',
    stricter: 'node',
    when: /content-length:[^\r\n]*\t/i,
    example: `${OK}content-length: 2\t\r\n\r\nab`,
    until: 22,
  },
  {
    name: 'a tab after a transfer coding',
    stricter: 'neither',
    when: /transfer-encoding:[^\r\n]*\t/i,
    example: `${OK}transfer-encoding: chunked\t\r\n\r\n2\r\nab\r\n0\r\n\r\n`,
  },
  {
    name: 'an announcement that ends the connection',
    stricter: 'node',
    when: /HTTP\/1\.0 1\d\d|HTTP\/1\.1 1\d\d.*close/is,
    example: `HTTP/1.1 103 Early\r\nconnection: close\r\n\r\n${OK}${AB}`,
  },
  {
    name: 'a head of line feeds alone',
    stricter: 'node',
    when: /HTTP\/1\.[01] \d{3}[^\r\n]*\n/,
    example: `HTTP/1.1 200 OK\ncontent-length: 2\n\nab`,
  },
  {
    name: 'a folded line',
    stricter: 'node',
    when: /\r?\n[ \t]/,
    example: `${OK}a: b\r\n c\r\n${AB}`,
  },
  {
    name: 'blanks and any extension after the size of a chunk',
    stricter: 'node',
    when: /transfer-encoding:.*\r\n[\da-f]+[ \t;]/is,
    example: `${CHUNKED}2 ; a b\r\nab\r\n0\r\n\r\n`,
  },
];

/** The same bytes, cut at the same places, are read by our client and by that of Node. */
describe.sequential('our client and the one of Node', () => {
  const run = (text: fc.Arbitrary<string>, numRuns: number) =>
    fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(), { maxLength: 4 }), async (bytes, places) => {
        const { ours, node } = await readBoth(cut(bytes, places));
        if (isSame(ours, node)) return;
        const names = DIFFERENCES.filter((one) => one.when.test(bytes) && one.stricter === stricter(ours, node));
        if (names.length === 0) expect({ bytes, client: 'ours', ...ours }).toEqual({ bytes, client: 'node', ...node });
      }),
      { numRuns },
    );

  test('read every valid response in the same way', () => run(response(), 300), 60_000);
  test('accept or refuse broken responses in the same way', () => run(broken(), 600), 120_000);
  test('refuse bytes that are not a response', () => run(garbage(), 200), 60_000);

  /** A difference that no longer exists must be removed from the table. */
  test.each(DIFFERENCES)('differ: $name', async ({ example, when, until = Infinity, ...difference }) => {
    const { ours, node } = await readBoth([example]);
    const isGone = Number.parseInt(process.versions.node, 10) >= until;
    expect(when.test(example)).toBe(true);
    expect(isSame(ours, node)).toBe(isGone);
    expect(stricter(ours, node)).toBe(isGone ? 'neither' : difference.stricter);
  });

  test('differ: a head of 16 to 64 kB is read', async () => {
    const { ours, node } = await readBoth([`${OK}x: ${'y'.repeat(20_000)}\r\n${AB}`]);
    expect([ours.end, node.end]).toEqual(['whole', 'refused']);
  });
});

/** Returns the client that accepted less. */
function stricter(ours: Seen, node: Seen): Stricter {
  const [us, them] = [ENDS.indexOf(ours.end), ENDS.indexOf(node.end)];
  if (us === them) return 'neither';
  return us < them ? 'ours' : 'node';
}

const ENDS: readonly End[] = ['refused', 'broken', 'whole'];

/** Compares two results. Each client may have returned a different part of a body that broke off. */
function isSame(ours: Seen, node: Seen): boolean {
  const isSameBody = ours.end === 'whole' ? ours.body === node.body : isPrefix(ours.body, node.body);
  return (
    ours.end === node.end &&
    ours.status === node.status &&
    isSameBody &&
    JSON.stringify(ours.headers) === JSON.stringify(node.headers)
  );
}

function isPrefix(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

let server: Server;
let url: URL;
let pieces: readonly string[] = [];

beforeAll(async () => {
  server = createServer((socket) => {
    let asked = '';
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (asked.endsWith('\r\n\r\n')) return;
      asked += bytes.toString('latin1');
      if (asked.endsWith('\r\n\r\n')) void answer(socket, pieces);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});

afterAll(() => {
  server.close();
});

/** Writes one piece in each round of the event loop, so that the client reads it before the next one is written. */
async function answer(socket: Socket, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    socket.write(text, 'latin1');
    await nextRound();
    await nextRound();
  }
  socket.end();
}

async function readBoth(texts: readonly string[]): Promise<{ readonly ours: Seen; readonly node: Seen }> {
  pieces = texts.filter((text) => text !== '');
  return { ours: await readWithOurs(), node: await readWithNode() };
}

const IDLE_MS = 30_000;

async function readWithOurs(): Promise<Seen> {
  const http = createHttp();
  const seen: Seen = { body: '', end: 'refused' };
  try {
    const { signal } = new AbortController();
    const options = { method: 'GET', headers: {}, body: new Uint8Array(), idleTimeoutMs: IDLE_MS, signal } as const;
    const { status, headers, read } = await http.send(url, options);
    Object.assign(seen, { status, headers, end: 'broken' });
    for (let bytes = await read(IDLE_MS); bytes !== null; bytes = await read(IDLE_MS)) {
      seen.body += Buffer.from(bytes).toString('latin1');
    }
    seen.end = 'whole';
  } catch {
    // `seen` tells how far the client got.
  }
  await http.close();
  return seen;
}

async function readWithNode(): Promise<Seen> {
  const agent = new Agent({ keepAlive: true });
  const seen: Seen = { body: '', end: 'refused' };
  await new Promise<void>((resolve) => {
    const outgoing = request(url, { agent });
    outgoing.on('error', () => {});
    outgoing.on('close', () => {
      if (seen.status === undefined) resolve();
    });
    outgoing.on('response', (incoming) => {
      Object.assign(seen, { status: incoming.statusCode, headers: incoming.headers });
      incoming.on('error', () => {});
      incoming.on('data', (bytes: Buffer) => {
        seen.body += bytes.toString('latin1');
      });
      incoming.on('close', () => {
        seen.end = incoming.complete ? 'whole' : 'broken';
        resolve();
      });
    });
    outgoing.end();
  });
  agent.destroy();
  return seen;
}

const NAMES = [
  'age',
  'connection',
  'constructor',
  'content-encoding',
  'content-type',
  'cookie',
  'date',
  'keep-alive',
  'retry-after',
  'server',
  'set-cookie',
  'vary',
  'x_y!',
] as const;

const field = () =>
  fc
    .tuple(
      fc.constantFrom(...NAMES).chain(mixedCase),
      fc.oneof(headerValue(), oneOf(' close', ' keep-alive', 'timeout=5')),
    )
    .map(([name, text]) => `${name}:${text}\r\n`);

const fields = () => fc.array(field(), { maxLength: 5 }).map((all) => all.join(''));

const statusLine = (status: fc.Arbitrary<number>, version: fc.Arbitrary<string>) =>
  fc
    .tuple(version, status, oneOf('', ' ', ' OK', ' \xe9t\xe9 \x01'))
    .map(([http, code, reason]) => `HTTP/${http} ${code}${reason}\r\n`);

/** Returns heads that only announce another. */
const announcement = () =>
  fc
    .tuple(
      statusLine(fc.constantFrom(100, 102, 103, 199), fc.constant('1.1')),
      oneOf('', 'link: x\r\n', 'content-length: 5\r\n'),
    )
    .map(([line, lines]) => `${line}${lines}\r\n`);

/** Returns rests of responses: the header that says how its body ends, the end of the head, and the body. */
const framed = () =>
  fc.oneof(
    bytes().map((text) => `content-length: ${text.length}\r\n\r\n${text}`),
    bytes().map((text) => `\r\n${text}`),
    bytes().map((text) => `transfer-encoding: identity\r\n\r\n${text}`),
    fc
      .tuple(
        oneOf('', 'transfer-encoding: chunked\r\n'),
        fc.array(chunk(), { maxLength: 4 }),
        oneOf('0', '000'),
        trailers(),
      )
      .map(
        ([twice, chunks, last, ends]) =>
          `${twice}transfer-encoding: chunked\r\n\r\n${chunks.join('')}${last}\r\n${ends}\r\n`,
      ),
  );

function response(): fc.Arbitrary<string> {
  const status = fc.oneof(fc.constantFrom(200, 204, 205, 304, 404, 500), fc.integer({ min: 200, max: 999 }));
  return fc
    .tuple(
      oneOf('', '', '\r\n', '\n\r'),
      fc.array(announcement(), { maxLength: 2 }),
      statusLine(status, oneOf('1.1', '1.1', '1.0')),
      fields(),
      framed(),
      oneOf('', '', 'more'),
    )
    .map(
      ([before, announced, line, lines, rest, more]) => `${before}${announced.join('')}${line}${lines}${rest}${more}`,
    );
}

/** Characters and words that mean something in HTTP, or are forbidden there. */
const ODD = [
  ...'\r\n \t:;,0159aFxH/.\0\x0b\x7f\xa0',
  '\r\n',
  '\r\n\r\n',
  '\n\n',
  '\r\n ',
  ' \r\n',
  'HTTP/1.1 ',
  'HTTP/1.1 200 OK\r\n',
  'content-length: 3\r\n',
  'content-length: ',
  'transfer-encoding: chunked\r\n',
  'transfer-encoding: ',
  'gzip',
  'connection: close\r\n',
  'upgrade: x\r\n',
  '0\r\n\r\n',
] as const;

const change = () =>
  fc.record({
    at: fc.nat(),
    remove: fc.nat({ max: 3 }),
    insert: fc.oneof(fc.constantFrom('', ...ODD), bytes(2)),
  });

/** Returns responses with a few changes. Three of four changes are in the head. */
function broken(): fc.Arbitrary<string> {
  const changes = fc.array(fc.tuple(fc.nat({ max: 3 }), change()), { minLength: 1, maxLength: 3 });
  return fc.tuple(response(), changes).map(([text, all]) =>
    all.reduce((now, [where, { at, remove, insert }]) => {
      const end = now.indexOf('\r\n\r\n') + 4;
      const place = at % (where === 0 || end < 4 ? now.length + 1 : end);
      return now.slice(0, place) + insert + now.slice(place + remove);
    }, text),
  );
}

function garbage(): fc.Arbitrary<string> {
  return fc.array(fc.oneof(fc.constantFrom(...ODD), bytes(10))).map((all) => all.join(''));
}
