import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { TESTED_WIRES } from '../../../../src/gateway/test-answer.ts';
import type { Answered } from '../../../../src/gateway/test-gateway.ts';
import { isFull } from '../../../harness/runs.ts';
import { eventually } from './eventually.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { judgeAnswer } from './judge-answer.ts';
import { type ServerExchange, startModelServer } from './model-server.ts';
import { addressOf, PAIRS, type Pair, requestOf } from './pairs.ts';
import { textFramesAt } from './text-frames.ts';

const CLIENTS = isFull() ? 10_000 : 1000;
/** One client in this many gets an answer that no buffer on the way can hold. */
const LONG_EVERY = 500;
/** Almost as much text as an answer may have. */
const LONG_FRAMES = 2000;
const SHORT_FRAMES = 4;
/** A character that frames have only in their texts. */
const MARK = '~';
const LONG_PIECE = MARK.repeat(8 * 1024);
const SHORT_PIECE = MARK.repeat(512);
/** Copies of a long text in an answer of the Responses API: the pieces, the item and the response. */
const COPIES = 3;

const STREAMED = PAIRS.filter(({ stream }) => stream);
const isLong = (n: number) => n % LONG_EVERY === 0;

/** Returns the wires of the n-th client. Long answers stay on one wire, because between two a gateway keeps the text. */
function pairOf(n: number): Pair {
  const wire = TESTED_WIRES[(n / LONG_EVERY) % TESTED_WIRES.length];
  const pair = isLong(n)
    ? STREAMED.find(({ client, server }) => client === wire && server === wire)
    : STREAMED[n % STREAMED.length];
  if (pair === undefined) throw new Error('There are no wires.');
  return pair;
}

/** Returns the number of files that a process may have open here. */
function openFiles(): number {
  const said = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  return said === 'unlimited' ? Number.POSITIVE_INFINITY : Number(said);
}

/** Sends a request, reads nothing until `going` resolves, and then expects the whole answer. */
async function slowClient(url: string, n: number, agent: Agent, going: Promise<void>): Promise<void> {
  const pair = pairOf(n);
  const client = send(addressOf(pair, url), { method: 'POST', agent });
  client.end(JSON.stringify(requestOf(pair, `client ${n}`)));
  const [incoming] = (await once(client, 'response')) as [IncomingMessage];
  await going;
  if (isLong(n)) expect([n, await marksIn(incoming)]).toEqual([n, LONG_FRAMES * LONG_PIECE.length * copiesFor(pair)]);
  else {
    const judged = judgeAnswer(pair, await answerOf(incoming));
    expect([n, judged.end, judged.text.length]).toEqual([n, 'completed', SHORT_FRAMES * SHORT_PIECE.length]);
  }
}

function copiesFor({ client }: Pair): number {
  return client === 'responses' ? COPIES : 1;
}

async function marksIn(incoming: IncomingMessage): Promise<number> {
  let count = 0;
  for await (const bytes of incoming) for (const byte of bytes as Buffer) if (byte === MARK.charCodeAt(0)) count++;
  return incoming.complete ? count : -1;
}

async function answerOf(incoming: IncomingMessage): Promise<Answered> {
  const chunks: Buffer[] = [];
  for await (const bytes of incoming) chunks.push(bytes as Buffer);
  const { statusCode: status = 0, headers, trailers } = incoming;
  return { status, headers, trailers, text: Buffer.concat(chunks).toString() };
}

// A gateway has as many connections to servers as a third of its files, and all clients.
test.skipIf(!existsSync('/proc/self/status') || openFiles() < 2 * CLIENTS - 1000)(
  `${CLIENTS} clients that pause reading cost little memory, slow down their servers, and get everything`,
  async () => {
    let written = 0;
    let all = 0;
    let goOn = () => {};
    const going = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const pump = async ({ path, body, response }: ServerExchange) => {
      const { type, begin, say, end } = textFramesAt(path);
      const long = isLong(Number(/client (\d+)/.exec(body)?.[1]));
      const [frames, piece] = long ? [LONG_FRAMES, LONG_PIECE] : [SHORT_FRAMES, SHORT_PIECE];
      all += frames;
      response.writeHead(200, { 'content-type': type, connection: 'close' });
      if (begin !== '') response.write(begin);
      const frame = say(piece);
      for (let left = frames; left > 0; left--) {
        written++;
        if (!response.write(frame)) await once(response, 'drain');
      }
      await going;
      response.end(end(piece.repeat(frames)));
    };
    const server = await startModelServer((exchange) => void pump(exchange));
    const gateway = await startGatewayProcess({ server: server.url }, { timeoutMs: 280_000 });
    const before = gateway.memory();
    const agent = new Agent({ keepAlive: false });
    onTestFinished(() => agent.destroy());
    const clients: Promise<void>[] = [];
    for (let n = 0; n < CLIENTS; n++) {
      clients.push(slowClient(gateway.url, n, agent, going));
      if (n % 200 === 199) await eventually(() => gateway.active()).toBe(n + 1);
    }
    const served = Promise.allSettled(clients);
    // Waits until all buffers are full.
    for (let last = -1; last !== written; ) {
      last = written;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    const held = gateway.memory() - before;
    expect(await gateway.active()).toBe(CLIENTS);
    expect(written).toBeLessThan(all);
    // KiB for each client, less than twice the measured need (67).
    expect(held / CLIENTS / 1024).toBeLessThan(130);

    goOn();
    expect((await served).filter(({ status }) => status === 'rejected')).toEqual([]);
    await eventually(() => gateway.exchanges().length).toBe(CLIENTS);
    expect(gateway.exchanges().every(({ status, error }) => status === 200 && error === null)).toBe(true);
    expect(server.exchanges).toHaveLength(CLIENTS);
    await eventually(() => server.connections()).toBe(0);
    await eventually(() => gateway.active()).toBe(0);
    await gateway.stop();
  },
  300_000,
);
