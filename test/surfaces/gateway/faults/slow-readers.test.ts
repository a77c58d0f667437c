import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { sampled } from '../../../harness/runs.ts';
import { eventually } from './eventually.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { type ServerExchange, startModelServer } from './model-server.ts';
import { addressOf, askThrough, type Pair, requestOf } from './pairs.ts';
import { textFramesAt } from './text-frames.ts';

const MiB = 1024 * 1024;
const CLIENTS = 10;
const PIECE = 'A few words more. '.repeat(400);

/** Each wire once as the client's and once as the server's. */
const BRIDGES: readonly Pair[] = [
  { client: 'responses', server: 'chat', stream: true },
  { client: 'chat', server: 'messages', stream: true },
  { client: 'messages', server: 'ollama', stream: true },
  { client: 'ollama', server: 'responses', stream: true },
];

/** Starts a client that never reads. Returns its response. */
async function stuckClient(url: string, pair: Pair): Promise<IncomingMessage> {
  const client = send(addressOf(pair, url), { method: 'POST', agent: false });
  onTestFinished(() => void client.destroy());
  client.end(JSON.stringify(requestOf(pair, 'long')));
  const [incoming] = (await once(client, 'response')) as [IncomingMessage];
  incoming.on('error', () => {});
  return incoming;
}

const TITLE = '$client clients that read answers of a $server server slowly share a room: the slowest are disconnected';

test.each(sampled(BRIDGES, 2))(TITLE, async (pair) => {
  const answer = async ({ path, body, response }: ServerExchange) => {
    const { type, begin, say, end } = textFramesAt(path);
    const frame = say(PIECE);
    const frames = body.includes('long') ? 1500 : 2;
    response.setMaxListeners(0);
    response.writeHead(200, { 'content-type': type });
    response.write(begin || frame);
    for (let left = frames; left > 0 && !response.destroyed; left--) {
      if (!response.write(frame)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
    response.end(end(PIECE.repeat(frames)));
  };
  const server = await startModelServer((exchange) => void answer(exchange));
  const gateway = await startGatewayProcess({ server: server.url, gateway: { max_answers_bytes: 40 * MiB } });
  const clients: IncomingMessage[] = [];
  for (let n = 0; n < CLIENTS; n++) clients.push(await stuckClient(gateway.url, pair));
  const dropped = () => gateway.exchanges().filter(({ error }) => error !== null);
  await eventually(() => dropped().length).toBeGreaterThan(0);
  expect(JSON.stringify(dropped()[0])).toContain('slow_client');

  // A client that reads is served meanwhile.
  const { status } = await askThrough(gateway, pair);
  expect(status).toBe(200);
  expect(dropped().length).toBeLessThan(CLIENTS);
  for (const client of clients) client.destroy();
  await eventually(() => gateway.active()).toBe(0);
  await gateway.stop();
});
