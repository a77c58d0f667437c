import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from './eventually.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { type ServerExchange, startModelServer } from './model-server.ts';
import { addressOf, askThrough, requestOf } from './pairs.ts';

const MiB = 1024 * 1024;
const PAIR = { client: 'responses', server: 'chat', stream: true } as const;
const CLIENTS = 10;

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const FRAME = chunk({ content: 'A few words more. '.repeat(400) });

/** Starts a client that never reads. Returns its response. */
async function stuckClient(url: string): Promise<IncomingMessage> {
  const client = send(addressOf(PAIR, url), { method: 'POST', agent: false });
  onTestFinished(() => void client.destroy());
  client.end(JSON.stringify(requestOf(PAIR, 'long')));
  const [incoming] = (await once(client, 'response')) as [IncomingMessage];
  incoming.on('error', () => {});
  return incoming;
}

test('clients that read another wire slowly share a room: those that waited longest are disconnected', async () => {
  const answer = async ({ body, response }: ServerExchange) => {
    response.setMaxListeners(0);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: '' }));
    for (let left = body.includes('long') ? 1500 : 2; left > 0 && !response.destroyed; left--) {
      if (!response.write(FRAME)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  };
  const server = await startModelServer((exchange) => void answer(exchange));
  const gateway = await startGatewayProcess({ server: server.url, gateway: { max_answers_bytes: 40 * MiB } });
  const clients: IncomingMessage[] = [];
  for (let n = 0; n < CLIENTS; n++) clients.push(await stuckClient(gateway.url));
  const dropped = () => gateway.exchanges().filter(({ error }) => error !== null);
  await eventually(() => dropped().length).toBeGreaterThan(0);
  expect(JSON.stringify(dropped()[0])).toContain('slow_client');

  // A client that reads is served meanwhile.
  const { status } = await askThrough(gateway, PAIR);
  expect(status).toBe(200);
  expect(dropped().length).toBeLessThan(CLIENTS);
  for (const client of clients) client.destroy();
  await eventually(() => gateway.active()).toBe(0);
  await gateway.stop();
});
