import { expect, test } from 'vitest';
import { CALLS, callAnswer } from './call-answer.ts';
import { eventually } from './eventually.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { judgeAnswer } from './judge-answer.ts';
import { startModelServer } from './model-server.ts';
import { askThrough, isWholeBody, nameOf, PAIRS, type Pair, pairIn } from './pairs.ts';

const PHASES = [
  'before the head',
  'after the head',
  'in the first frame',
  'in a call',
  'before the last byte',
] as const;

/** Returns the number of bytes after which the server falls silent; undefined: it does not even begin. */
function silentAfter(phase: (typeof PHASES)[number], pair: Pair): number | undefined {
  const { bytes, marks } = callAnswer(pair);
  switch (phase) {
    case 'before the head':
      return undefined;
    case 'after the head':
      return 0;
    case 'in the first frame':
      return 20;
    case 'in a call':
      return Math.min((marks[1]?.begun ?? 0) + 5, bytes.byteLength - 10);
    case 'before the last byte':
      return bytes.byteLength - 6;
  }
}

/** Returns the number of calls that the server has sent whole. */
function finishedCalls(phase: (typeof PHASES)[number], pair: Pair): number {
  const bytes = silentAfter(phase, pair) ?? 0;
  return callAnswer(pair).marks.filter(({ finished }) => finished <= bytes).length;
}

test.each(PHASES)('a server that falls silent %s is given up, and its connection is closed', async (phase) => {
  const server = await startModelServer(({ body, response }) => {
    const pair = pairIn(body);
    const bytes = silentAfter(phase, pair);
    if (bytes === undefined) return;
    const answer = callAnswer(pair);
    response.writeHead(200, { 'content-type': answer.type });
    response.flushHeaders();
    response.write(answer.bytes.subarray(0, bytes));
  });
  const gateway = await startGatewayProcess({ server: server.url, gateway: { idle_timeout_ms: 400 } });
  const one = async (pair: Pair) => {
    const name = nameOf(pair);
    const answer = await askThrough(gateway, pair, name);
    const { end, code, calls } = judgeAnswer(pair, answer);
    if (end === 'completed') {
      // All that counts was there.
      expect([name, phase, calls]).toEqual([name, 'before the last byte', CALLS]);
      return;
    }
    // Only Ollama's form has no codes.
    const expected = pair.client === 'ollama' ? null : 'upstream_timeout';
    expect([name, end, code, calls]).toEqual([name, end, expected, CALLS.slice(0, calls.length)]);
    expect([name, calls.length <= finishedCalls(phase, pair)]).toEqual([name, true]);
    if (end === 'refused') expect(answer.status).toBe(504);
  };
  await Promise.all(PAIRS.map(one));
  await eventually(() => server.connections()).toBe(0);
  await eventually(() => gateway.exchanges().length).toBe(PAIRS.length);
  expect(await gateway.active()).toBe(0);
  await gateway.stop();
});

test('a server that keeps the connection open after the last frame is not waited for', async () => {
  const server = await startModelServer(({ body, response }) => {
    const answer = callAnswer(pairIn(body));
    response.writeHead(200, { 'content-type': answer.type });
    response.write(answer.bytes);
  });
  const gateway = await startGatewayProcess({ server: server.url });
  // A body in one piece has no mark of its end.
  const pairs = PAIRS.filter((pair) => !isWholeBody(pair));
  const answers = await Promise.all(pairs.map((pair) => askThrough(gateway, pair, nameOf(pair))));
  for (const [n, pair] of pairs.entries()) {
    const answer = answers[n];
    expect(answer && judgeAnswer(pair, answer)).toMatchObject({ end: 'completed', calls: CALLS });
  }
  await eventually(() => server.connections()).toBe(0);
  await gateway.stop();
}, 40_000);
