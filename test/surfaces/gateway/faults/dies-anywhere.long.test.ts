import { describe, expect, test } from 'vitest';
import { ask, startTestGateway } from '../../../../src/gateway/test-gateway.ts';
import { runs } from '../../../harness/runs.ts';
import { CALLS, type CallAnswer, callAnswer } from './call-answer.ts';
import { eventually } from './eventually.ts';
import { judgeAnswer } from './judge-answer.ts';
import { type ServerExchange, startModelServer } from './model-server.ts';
import { addressOf, PAIRS, type Pair, requestOf } from './pairs.ts';

/** The ways in which a server ends its answer early. */
const WAYS = {
  /** The body ends as if it were complete. */
  end: ({ response }: ServerExchange) => void response.end(),
  /** The connection closes in the middle of the body. */
  close: ({ socket }: ServerExchange) => void socket.destroy(),
  /** The connection is reset. Bytes that were not read by then may be lost. */
  reset: ({ socket }: ServerExchange) => void socket.resetAndDestroy(),
};

interface Cut {
  readonly way: keyof typeof WAYS;
  readonly at: number;
}

const AT_ONCE = 16;

/** In a quick run, one byte in this many. */
const COARSER = runs(1000) < 1000 ? 8 : 1;

/** Returns every byte of the two most important ways, and some of the others. Each run takes others. */
function cutsOf({ client, server, stream }: Pair, { bytes }: CallAnswer): readonly Cut[] {
  const isCommon = server === 'chat' && (client === 'chat' || client === 'responses');
  const step = COARSER * (stream && isCommon ? 1 : stream && client === server ? 3 : 23);
  const first = Math.floor(Math.random() * Math.min(step, bytes.byteLength));
  const every = (way: Cut['way'], by: number) =>
    Array.from({ length: Math.ceil((bytes.byteLength + 1 - first) / by) }, (_, n) => ({ way, at: first + n * by }));
  return [...every('end', step), ...every('close', step), ...every('reset', step * 13)];
}

function dieAsAsked(answer: CallAnswer, exchange: ServerExchange): void {
  const [, way, at] = /"(end|close|reset) (\d+)"/.exec(exchange.body) ?? [];
  const { response } = exchange;
  response.writeHead(200, { 'content-type': answer.type });
  response.flushHeaders();
  const die = () => WAYS[way as Cut['way']](exchange);
  if (at === '0') die();
  else response.write(answer.bytes.subarray(0, Number(at)), die);
}

/** Returns the faults of the answer that a client gets whose server died there. */
function faultsIn({ way, at }: Cut, { marks, complete }: CallAnswer, judged: ReturnType<typeof judgeAnswer>) {
  const faults: string[] = [];
  for (const given of judged.calls) {
    const n = CALLS.findIndex(({ id }) => id === given.id);
    if (JSON.stringify(given) !== JSON.stringify(CALLS[n])) faults.push(`a call as ${JSON.stringify(given)}`);
    else if (at < (marks[n]?.finished ?? 0)) faults.push(`the call ${given.id}, which was not finished`);
  }
  if (judged.end === 'completed') {
    const begun = marks.filter((mark) => at >= mark.begun).length;
    if (way !== 'reset' && judged.calls.length < begun) faults.push(`${judged.calls.length} of ${begun} calls`);
    if (judged.calls.length === 0) faults.push('a good end without any call');
  }
  if (way !== 'reset' && at >= complete && judged.end !== 'completed')
    faults.push(`${judged.end} with all calls there`);
  if (judged.end === 'failed' || judged.end === 'refused') {
    if (judged.code !== null && judged.code !== 'stream_closed') faults.push(`the code ${String(judged.code)}`);
  }
  return faults.map((fault) => `${way} at ${at}: ${fault}`);
}

describe('a server that dies after any byte of its calls', () => {
  test.each(PAIRS)('$client from $server, stream $stream', async (pair) => {
    const answer = callAnswer(pair);
    const server = await startModelServer((exchange) => dieAsAsked(answer, exchange));
    const { url, reports } = await startTestGateway(server.url, { wire: pair.server });
    const cuts = cutsOf(pair, answer);
    const left = [...cuts];
    const faults: string[] = [];
    const one = async (cut: Cut) => {
      try {
        const answered = await ask(addressOf(pair, url), requestOf(pair, `${cut.way} ${cut.at}`, 'alias'));
        faults.push(...faultsIn(cut, answer, judgeAnswer(pair, answered)));
      } catch (error) {
        faults.push(`${cut.way} at ${cut.at}: ${String(error)}`);
      }
    };
    const some = async () => {
      for (let cut = left.pop(); cut !== undefined; cut = left.pop()) await one(cut);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, some));
    expect(faults.slice(0, 20)).toEqual([]);
    expect(server.exchanges).toHaveLength(cuts.length);
    await eventually(() => reports.length).toBe(cuts.length);
  });
});
