import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FetchLike, FetchLikeInit } from '../../base/fetch-like.ts';
import { type ConformanceCase, type ConformanceChecks, conformanceCases } from '../conformance-case.ts';

/** A `fetch` for one case. */
export interface TransportUnderTest {
  readonly fetch: FetchLike;
  /** Called when the case is over. */
  close?(): void | Promise<void>;
}

interface TransportScene {
  readonly carry: FetchLike;
  /** Starts a server on the loopback address. Returns its URL. */
  serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string>;
}

/**
 * Returns a case for each promise of `fetch` that an agent relies on. The cases start servers on the loopback address.
 */
export function transportConformance(
  make: () => TransportUnderTest | Promise<TransportUnderTest>,
): readonly ConformanceCase[] {
  return conformanceCases(transportCases, async (check) => {
    const subject = await make();
    const servers: { close(): void }[] = [];
    try {
      await check({
        carry: subject.fetch,
        async serve(answer) {
          const server = createServer(answer);
          server.listen(0, '127.0.0.1');
          await once(server, 'listening');
          servers.push({
            close() {
              server.close();
              server.closeAllConnections();
            },
          });
          return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/path?key=value`;
        },
      });
    } finally {
      for (const server of servers) server.close();
      await subject.close?.();
    }
  });
}

const init = (more: Partial<FetchLikeInit> = {}): FetchLikeInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-own': 'value' },
  body: new TextEncoder().encode('{"hello":"wörld"}'),
  redirect: 'manual',
  signal: new AbortController().signal,
  ...more,
});

const transportCases: ConformanceChecks<TransportScene> = {
  async 'method, path, headers and body arrive as they are'({ carry, serve }) {
    let seen: readonly unknown[] = [];
    const url = await serve(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      seen = [request.method, request.url, request.headers['x-own'], Buffer.concat(chunks).toString()];
      response.end('ok');
    });
    const response = await carry(url, init());
    strictEqual(await textOf(response), 'ok');
    deepStrictEqual(seen, ['POST', '/v1/path?key=value', 'value', '{"hello":"wörld"}']);
  },

  async 'a long body arrives whole'({ carry, serve }) {
    const body = new Uint8Array(5_000_000).fill(0x61);
    const url = await serve(async (request, response) => {
      let size = 0;
      for await (const chunk of request) size += (chunk as Buffer).length;
      response.end(String(size));
    });
    strictEqual(await textOf(await carry(url, init({ body }))), '5000000');
  },

  async 'every status is an answer, with its headers and body'({ carry, serve }) {
    for (const status of [201, 400, 404, 429, 500, 503]) {
      const url = await serve((_, response) => {
        response.writeHead(status, { 'retry-after': '7', 'X-Mixed-Case': 'yes' });
        response.end('{"error":{"message":"said"}}');
      });
      const answer = await carry(url, init());
      const headers = new Map<string, string>();
      answer.headers.forEach((value, name) => void headers.set(name.toLowerCase(), value));
      deepStrictEqual([answer.status, headers.get('retry-after'), headers.get('x-mixed-case')], [status, '7', 'yes']);
      ok((await textOf(answer)).includes('said'));
    }
  },

  async 'a redirect is not followed'({ carry, serve }) {
    let followed = 0;
    const target = await serve((_, response) => {
      followed++;
      response.end();
    });
    const url = await serve((_, response) => {
      response.writeHead(307, { location: target });
      response.end();
    });
    const answer = await carry(url, init());
    await textOf(answer);
    strictEqual(followed, 0);
    // Browsers hide the status of a redirect.
    ok(answer.status === 307 || answer.status === 0, `the status is ${answer.status}`);
  },

  async 'pieces of a body are read as they arrive'({ carry, serve }) {
    let finish = () => {};
    const url = await serve((_, response) => {
      response.write('first');
      finish = () => response.end('second');
    });
    const reader = (await carry(url, init())).body?.getReader();
    ok(reader, 'there is a body');
    const first = await reader.read();
    strictEqual(Buffer.from(first.value ?? []).toString(), 'first');
    finish();
    let rest = '';
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      rest += Buffer.from(piece.value ?? []).toString();
    }
    strictEqual(rest, 'second');
  },

  async 'a connection that breaks off is an error, not an end'({ carry, serve }) {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half');
      setTimeout(() => response.destroy(), 50);
    });
    await rejected(carry(url, init()).then(textOf), 'a body that is cut off');
  },

  async 'a server that cannot be reached is an error'({ carry, serve }) {
    const url = new URL(await serve((_, response) => void response.end()));
    url.port = '1';
    await rejected(carry(url.href, init()), 'a port that no server listens on');
  },

  async 'aborting ends the request, before the answer and while it is read'({ carry, serve }) {
    const closed: string[] = [];
    const url = await serve((request, response) => {
      const which = request.headers['x-own'] as string;
      response.once('close', () => closed.push(which));
      if (which === 'late') response.write('first');
    });
    const early = new AbortController();
    setTimeout(() => early.abort(), 50);
    await rejected(carry(url, init({ headers: { 'x-own': 'early' }, signal: early.signal })), 'an aborted request');
    const late = new AbortController();
    const answer = await carry(url, init({ headers: { 'x-own': 'late' }, signal: late.signal }));
    setTimeout(() => late.abort(), 50);
    await rejected(textOf(answer), 'an aborted body');
    for (let i = 0; i < 100 && closed.length < 2; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    deepStrictEqual(new Set(closed), new Set(['early', 'late']));
  },

  async 'a canceled body releases the connection'({ carry, serve }) {
    let isClosed = false;
    const url = await serve((_, response) => {
      response.once('close', () => {
        isClosed = true;
      });
      response.write('first');
    });
    const reader = (await carry(url, init())).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    for (let i = 0; i < 100 && !isClosed; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    ok(isClosed, 'the server sees that the client left');
  },

  async 'a GET has no body'({ carry, serve }) {
    let seen: readonly unknown[] = [];
    const url = await serve((request, response) => {
      seen = [request.method, request.headers['content-length'] ?? null];
      response.end('[]');
    });
    const { body: _, ...rest } = init();
    strictEqual(await textOf(await carry(url, { ...rest, method: 'GET' })), '[]');
    deepStrictEqual(seen, ['GET', null]);
  },
};

async function textOf({ body }: Awaited<ReturnType<FetchLike>>): Promise<string> {
  const reader = body?.getReader();
  const pieces: Uint8Array[] = [];
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    if (piece.value) pieces.push(piece.value);
  }
  return Buffer.concat(pieces).toString();
}

async function rejected(work: Promise<unknown>, what: string): Promise<void> {
  const failed = await work.then(
    () => false,
    () => true,
  );
  ok(failed, `${what}: expected an error`);
}
