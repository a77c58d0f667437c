import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { sse } from '../../../../src/wire/framing/sse.ts';
import { eventually } from './eventually.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { type ServerExchange, startModelServer } from './model-server.ts';
import { addressOf, requestOf } from './pairs.ts';

const CLIENTS = 4000;
/** One client in this many gets an answer that no buffer on the way can hold. */
const LONG_EVERY = 200;
/** Almost as much text as an answer may have. */
const LONG_FRAMES = 2000;
const SHORT_FRAMES = 4;
const PAIR = { client: 'chat', server: 'chat', stream: true } as const;

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const FIRST = chunk({ role: 'assistant', content: '' });
const FRAME = chunk({ content: 'x'.repeat(8 * 1024) });
const END = `${chunk({}, 'stop')}data: [DONE]\n\n`;

const framesOf = (said: string) =>
  Number(/client (\d+)/.exec(said)?.[1]) % LONG_EVERY === 0 ? LONG_FRAMES : SHORT_FRAMES;
const lengthOf = (frames: number) => FIRST.length + frames * FRAME.length + END.length;

/** Returns the number of files that a process may have open here. */
function openFiles(): number {
  const said = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  return said === 'unlimited' ? Number.POSITIVE_INFINITY : Number(said);
}

/** Starts a client that reads nothing at first. Returns a function that reads the rest and returns its length. */
async function slowClient(url: string, n: number, agent: Agent): Promise<() => Promise<number>> {
  const client = send(addressOf(PAIR, url), { method: 'POST', agent });
  client.end(JSON.stringify(requestOf(PAIR, `client ${n}`)));
  const [incoming] = (await once(client, 'response')) as [IncomingMessage];
  return async () => {
    let length = 0;
    incoming.on('data', (bytes: Buffer) => {
      length += bytes.byteLength;
    });
    await once(incoming, 'end');
    return incoming.complete ? length : -1;
  };
}

test.skipIf(!existsSync('/proc/self/status') || openFiles() < 2 * CLIENTS + 500)(
  '4000 clients that pause reading cost little memory, slow down their servers, and get everything',
  async () => {
    let written = 0;
    let goOn = () => {};
    const going = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const pump = async ({ body, response }: ServerExchange) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
      response.write(FIRST);
      for (let left = framesOf(body); left > 0; left--) {
        written++;
        if (!response.write(FRAME)) await once(response, 'drain');
      }
      await going;
      response.end(END);
    };
    const server = await startModelServer((exchange) => void pump(exchange));
    const gateway = await startGatewayProcess({ server: server.url });
    const before = gateway.memory();
    const agent = new Agent({ keepAlive: false });
    onTestFinished(() => agent.destroy());
    const clients: (() => Promise<number>)[] = [];
    for (let n = 0; n < CLIENTS; n += 200) {
      const some = Array.from({ length: 200 }, (_, i) => slowClient(gateway.url, n + i, agent));
      clients.push(...(await Promise.all(some)));
    }
    // Waits until all buffers are full.
    for (let last = -1; last !== written; ) {
      last = written;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    const held = gateway.memory() - before;
    expect(await gateway.active()).toBe(CLIENTS);
    expect(written).toBeLessThan((CLIENTS / LONG_EVERY) * (LONG_FRAMES + (LONG_EVERY - 1) * SHORT_FRAMES));
    // KiB for each client, less than twice the measured need of an open exchange (110 to 130).
    expect(held / CLIENTS / 1024).toBeLessThan(220);

    goOn();
    const lengths = await Promise.all(clients.map((read) => read()));
    const more = lengths.map((length, n) => length - lengthOf(framesOf(`client ${n}`)));
    // The clients that waited got pings.
    expect(more.filter((bytes) => bytes < 0 || bytes % sse.ping.length > 0)).toEqual([]);
    await eventually(() => gateway.exchanges().length).toBe(CLIENTS);
    expect(gateway.exchanges().every(({ status, error }) => status === 200 && error === null)).toBe(true);
    await eventually(() => server.connections()).toBe(0);
    await eventually(() => gateway.active()).toBe(0);
    await gateway.stop();
  },
);
