import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { TESTED_WIRES } from '../../../../src/gateway/test-answer.ts';
import { isFull, sampled } from '../../../harness/runs.ts';
import { startEndlessServer } from './endless-text.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import { judgeAnswer } from './judge-answer.ts';
import { type ServerExchange, startModelServer } from './model-server.ts';
import { askThrough, nameOf, PAIRS, type Pair } from './pairs.ts';
import { textFramesAt } from './text-frames.ts';

const MiB = 1024 * 1024;

/**
 * Each wire of a server with its own clients and with those of the next wire: the limits are those of the server's wire.
 * One of the two streams.
 */
const GIANT_PAIRS = PAIRS.filter(({ client, server, stream }) => {
  const next = TESTED_WIRES[(TESTED_WIRES.indexOf(server) + 1) % TESTED_WIRES.length];
  return stream ? client === next : client === server;
});
/** The same the other way round. */
const OTHER_PAIRS = GIANT_PAIRS.map((pair) => ({ ...pair, stream: !pair.stream }));

/** Returns the pairs where every sample is wanted, and otherwise each wire of a server once, every second one with a stream. */
function someOf(pairs: readonly Pair[]): readonly Pair[] {
  return isFull() ? pairs : eachServerOnce(pairs);
}

function eachServerOnce(pairs: readonly Pair[]): readonly Pair[] {
  return pairs.filter(({ server, stream }) => stream === (TESTED_WIRES.indexOf(server) % 2 === 0));
}

/** Sends the same bytes until the receiver stops reading. Returns the number of bytes sent. */
async function flood({ response, over }: ServerExchange, start: string, piece: Buffer): Promise<number> {
  let sent = response.write(start) ? start.length : 0;
  let isOver = false;
  const ended = over.then(() => {
    isOver = true;
  });
  while (!isOver && sent < 1024 * MiB) {
    sent += piece.byteLength;
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), ended]);
  }
  return sent;
}

/** Returns the peak memory of the gateway while `work` runs. */
async function highest(gateway: GatewayProcess, work: Promise<unknown>): Promise<number> {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, gateway.memory());
  }, 20);
  await work.finally(() => clearInterval(timer));
  return Math.max(most, gateway.memory());
}

describe.skipIf(!existsSync('/proc/self/status'))('endless', () => {
  test.each([
    ['text', someOf(OTHER_PAIRS)],
    ['reasoning', someOf(GIANT_PAIRS)],
  ] as const)('%s in small pieces is given up after 16 MiB', async (kind, pairs) => {
    const server = await startEndlessServer(kind);
    const gateway = await startGatewayProcess({ server: server.url });
    const before = gateway.memory();
    const work = (async () => {
      for (const pair of pairs) {
        const answer = await askThrough(gateway, pair);
        const { end, calls } = judgeAnswer(pair, answer);
        expect([nameOf(pair), ['failed', 'refused'].includes(end), calls]).toEqual([nameOf(pair), true, []]);
        expect(JSON.stringify(answer).includes('characters of text'), nameOf(pair)).toBe(true);
      }
    })();
    const most = await highest(gateway, work);
    expect((most - before) / MiB).toBeLessThan(400);
    expect(server.sent).toHaveLength(pairs.length);
    for (const sent of server.sent) expect(sent / MiB).toBeLessThan(64);
    await gateway.stop();
  });

  test('a body in one piece with more than 16 MiB of text is refused', async () => {
    const text = 'A few words more. '.repeat(MiB);
    const server = await startModelServer(({ response, path }) => {
      const body = textFramesAt(path).whole(text);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const gateway = await startGatewayProcess({ server: server.url });
    for (const pair of someOf(GIANT_PAIRS)) {
      const answer = await askThrough(gateway, pair);
      expect([nameOf(pair), answer.text.includes('characters of text')]).toEqual([nameOf(pair), true]);
      expect(['failed', 'refused'], nameOf(pair)).toContain(judgeAnswer(pair, answer).end);
    }
    await gateway.stop();
  });

  test.each([
    ['a line in a stream', 'text/event-stream', 'data: ', Buffer.alloc(MiB, 'x')],
    ['a call in a stream', 'text/event-stream', 'data: {"choices":[{"delta":{"content":"', Buffer.alloc(MiB, 'y')],
    ['a text without any frame', 'application/octet-stream', '', Buffer.alloc(MiB, 'w')],
    ['a body in one piece', 'application/json', '{"choices":[{"message":{"content":"', Buffer.alloc(MiB, 'z')],
  ])('%s is aborted before it fills the memory', async (_, type, start, piece) => {
    const pairs = eachServerOnce(GIANT_PAIRS);
    const floods: Promise<number>[] = [];
    const server = await startModelServer((exchange) => {
      exchange.response.writeHead(200, { 'content-type': type });
      floods.push(flood(exchange, start, piece));
    });
    const gateway = await startGatewayProcess({ server: server.url });
    const before = gateway.memory();
    // One after the other: the limit is one of each answer.
    const work = (async () => {
      for (const pair of pairs) {
        const { end, calls } = judgeAnswer(pair, await askThrough(gateway, pair));
        expect([nameOf(pair), ['failed', 'refused'].includes(end), calls]).toEqual([nameOf(pair), true, []]);
      }
    })();
    const most = await highest(gateway, work);
    // 64 Mi characters of two bytes each, and as much again while they are put together.
    expect((most - before) / MiB).toBeLessThan(700);
    for (const sent of await Promise.all(floods)) expect(sent / MiB).toBeLessThan(100);
    await gateway.stop();
  });

  test('very many one-character frames arrive, and none stays in memory', async () => {
    const frames = isFull() ? 100_000 : 40_000;
    const server = await startModelServer(({ response, path }) => {
      const { type, begin, say, end } = textFramesAt(path);
      response.writeHead(200, { 'content-type': type });
      response.end(begin + say('x').repeat(frames) + end('x'.repeat(frames)));
    });
    const gateway = await startGatewayProcess({ server: server.url });
    const before = gateway.memory();
    const work = (async () => {
      for (const pair of sampled(
        [...GIANT_PAIRS, ...OTHER_PAIRS].filter(({ stream }) => stream),
        4,
      )) {
        const { end, text } = judgeAnswer(pair, await askThrough(gateway, pair, nameOf(pair)));
        expect([nameOf(pair), end, text.length]).toEqual([nameOf(pair), 'completed', frames]);
      }
    })();
    expect(((await highest(gateway, work)) - before) / MiB).toBeLessThan(300);
    await gateway.stop();
  });
});
