import { expect, test } from 'vitest';
import { ask } from '../../../../src/gateway/test-gateway.ts';
import { eventually } from './eventually.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { judgeAnswer } from './judge-answer.ts';
import { startModelServer } from './model-server.ts';
import { addressOf, PAIRS, requestOf } from './pairs.ts';
import { endStream, sayMore, startStream } from './slow-stream.ts';

const STREAMS = 200;
const RELOADS = 20;

test('new settings under load drop no stream and apply to new requests', async () => {
  const names: unknown[] = [];
  const server = await startModelServer((exchange) => {
    const { model } = JSON.parse(exchange.body) as { model: string };
    if (model === 'm') {
      startStream(exchange);
      return;
    }
    names.push(model);
    startStream(exchange);
    endStream(exchange);
  });
  const tables = (target: string) => ({ server: server.url, models: { moving: `over-chat/${target}` } });
  const gateway = await startGatewayProcess(tables('first'));
  const pairs = PAIRS.filter(({ stream }) => stream);
  const pairOf = (n: number) => pairs[n % pairs.length] ?? { client: 'chat', server: 'chat', stream: true };
  const answers = Array.from({ length: STREAMS }, (_, n) =>
    ask(addressOf(pairOf(n), gateway.url), requestOf(pairOf(n), `stream ${n}`)),
  );
  await eventually(() => server.exchanges.length).toBe(STREAMS);
  const held = [...server.exchanges];

  const expected: string[] = [];
  let told = { reloaded: 0, failed: 0 };
  let valid = 'first';
  for (let n = 0; n < RELOADS; n++) {
    const isBroken = n % 4 === 3;
    for (const exchange of held) sayMore(exchange, n);
    if (isBroken) gateway.configure({ ...tables('never'), gateway: { max_exchanges: 'many' } });
    else gateway.configure(tables(`target-${n}`));
    gateway.program.kill('SIGHUP');
    const type = isBroken ? 'gateway.reload_failed' : 'gateway.reloaded';
    await gateway.event(type, isBroken ? told.failed : told.reloaded);
    told = isBroken ? { ...told, failed: told.failed + 1 } : { ...told, reloaded: told.reloaded + 1 };
    valid = isBroken ? valid : `target-${n}`;
    expected.push(valid);
    const pair = { client: n % 2 === 0 ? 'chat' : 'responses', server: 'chat', stream: true } as const;
    const answer = await ask(addressOf(pair, gateway.url), requestOf(pair, 'new', 'moving'));
    expect(judgeAnswer(pair, answer).end).toBe('completed');
  }
  expect(names).toEqual(expected);

  for (const exchange of held) endStream(exchange);
  const text = ['begin', ...Array.from({ length: RELOADS }, (_, n) => String(n))].join(' ');
  for (const [n, answer] of (await Promise.all(answers)).entries()) {
    expect(judgeAnswer(pairOf(n), answer)).toMatchObject({ end: 'completed', text });
  }
  await eventually(() => gateway.exchanges().length).toBe(STREAMS + RELOADS);
  expect(gateway.exchanges().every(({ status, error }) => status === 200 && error === null)).toBe(true);
  expect(await gateway.active()).toBe(0);
  gateway.program.kill('SIGTERM');
  expect((await gateway.program.wait()).code).toBe(0);
});
