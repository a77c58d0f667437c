import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addLedgers, EMPTY_LEDGER } from '../../base/ledger.ts';
import { addUsage, NO_USAGE } from '../../base/usage.ts';
import type { UsageLine } from '../../log/usage-lines.ts';
import { foldUsage } from './fold-usage.ts';
import { readCounts } from './usage-tally.ts';

const TIME = '2026-01-02T00:00:00.000Z';
const line = (of: string, payload: object, time = TIME): UsageLine => ({
  type: 'line',
  of,
  time: () => time,
  payload: { ...payload },
});
const own = (payload: object) => line('oxbow', payload);
const event = (payload: object, time?: string) => line('event_msg', payload, time);

function fold(lines: readonly UsageLine[], origin?: object) {
  const usage = foldUsage({ keepRequests: true });
  if (origin) usage.apply(line('session_meta', { cwd: '/', ...origin }));
  for (const one of lines) usage.apply(one);
  return usage.turns();
}

const counts = (input_tokens: number, output_tokens = 0) => ({
  ...{ input_tokens, cached_input_tokens: 0, output_tokens },
  ...{ reasoning_output_tokens: 0, total_tokens: input_tokens + output_tokens },
});

const turn = (turn_id: string, ...lines: readonly UsageLine[]) => [
  event({ type: 'task_started', turn_id }),
  line('turn_context', { turn_id, model: 'm' }),
  ...lines,
  event({ type: 'task_complete', turn_id }),
];

const request = (request: number, record: object, attempt = 0) => [
  own({ kind: 'request.started', request, attempt }),
  own({ kind: 'request.ended', request, ms: 1, usage: null, cost: null, ...record }),
];

describe('foldUsage', () => {
  test('a request without a recorded end is counted with an unknown cost', () => {
    const [first, second] = fold([
      ...turn(
        'a',
        ...request(1, { usage: counts(5), cost: 0.5 }),
        own({ kind: 'request.started', request: 2, attempt: 0 }),
      ),
      ...turn('b', ...request(3, { usage: counts(7), cost: 0.25 })),
    ]);
    expect(first).toMatchObject({ ledger: { requests: 2, cost: null }, knownCost: 0.5 });
    expect(first?.requests[1]).toMatchObject({ request: 2, error: 'open', usage: null });
    expect(second).toMatchObject({ turn: 2, ledger: { requests: 1, cost: 0.25 } });
  });

  test('the output of a call whose process died counts for the turn that made it', () => {
    const output = (ms: number): UsageLine => ({ type: 'output', ms });
    const [a, b] = turn('b', output(2));
    const turns = fold([...turn('a', output(1)), ...[a, output(10), b].filter((one) => one !== undefined), output(2)]);
    expect(turns.map(({ ledger }) => ledger.toolMs)).toEqual([11, 2]);
  });

  test('the tokens of requests by an older version come from its other lines', () => {
    const ended = [own({ kind: 'request.started', request: 1 }), own({ kind: 'request.ended', request: 1, ms: 5 })];
    const info = { total_token_usage: counts(9), last_token_usage: counts(9) };
    const [only] = fold(turn('a', ...ended, event({ type: 'token_count', info })));
    expect(only).toMatchObject({ complete: false, ledger: { usage: { inputTokens: 9 }, cost: null } });
  });

  test('a repeated request counts as a retry', () => {
    const [only] = fold(turn('a', ...request(1, { retries: 2, error: 'stream_broken' }), ...request(2, {}, 1)));
    expect(only?.ledger).toMatchObject({ requests: 2, retries: 3 });
  });

  test('repairs of responses and of calls are counted', () => {
    const [only] = fold(turn('a', own({ kind: 'repair' }), ...request(1, { repairs: 1 }), own({ kind: 'repair' })));
    expect(only).toMatchObject({ ledger: { repairs: 2 }, requests: [{ repairs: 1 }] });
  });

  describe('of a fork', () => {
    const ids = { old: '01900000-0000-7000-8000-000000000001', new: '01990000-0000-7000-8000-000000000001' };
    const origin = { id: '01950000-0000-7000-8000-000000000000', timestamp: TIME, forked_from_id: 'x' };

    test('turns with older ids than its own are copies, whatever the times of their lines', () => {
      const turns = fold([...turn(ids.old, ...request(1, {})), ...turn(ids.new, ...request(2, {}))], origin);
      expect(turns.map(({ turn, turnId }) => [turn, turnId])).toEqual([[2, ids.new]]);
      const { forked_from_id: _, ...unforked } = origin;
      expect(fold([...turn(ids.old), ...turn(ids.new)], unforked)).toHaveLength(2);
    });

    test('ids without a time are compared by the times of their lines', () => {
      const at = (turn_id: string, time: string) => event({ type: 'task_started', turn_id }, time);
      const turns = fold([at('1', '2026-01-01T00:00:00.000Z'), at('2', TIME)], origin);
      expect(turns.map(({ turnId }) => turnId)).toEqual(['2']);
    });

    test('a copy that begins with a checkpoint continues the numbers of its turns', () => {
      const turns = fold([
        own({ kind: 'checkpoint', turns: 7 }),
        own({ kind: 'request.started', request: 9 }),
        ...turn(ids.new),
      ]);
      expect(turns.map(({ turn }) => turn)).toEqual([7, 8]);
    });
  });

  test('never throws, whatever the lines contain', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('task_started', 'token_count', 'user_message', 'request.ended'),
    );
    const payload = fc.dictionary(
      fc.constantFrom('type', 'kind', 'turn_id', 'info', 'usage', 'request', 'content'),
      value,
    );
    const of = fc.constantFrom('oxbow', 'event_msg', 'turn_context', 'response_item', 'token_usage_record', 'other');
    const lines = fc.array(fc.oneof(fc.tuple(of, payload).map(([of, payload]) => line(of, payload))));
    fc.assert(fc.property(lines, (some) => fold(some).length <= some.length));
  });

  test('a turn is the sum of its requests', () => {
    const tokens = fc.tuple(fc.nat(1e6), fc.nat(1e6)).map(([input, output]) => counts(input, output));
    const record = fc.record({
      ...{ usage: fc.option(tokens), cost: fc.option(fc.nat(1000)), retries: fc.nat(5), ms: fc.nat(1e6) },
      ...{ sent_bytes: fc.nat(1e9), received_bytes: fc.nat(1e9), attempt: fc.nat(2) },
    });
    fc.assert(
      fc.property(fc.array(fc.array(record)), (turns) => {
        const lines = turns.flatMap((records, n) =>
          turn(`t${n}`, ...records.flatMap(({ attempt, ...rest }, m) => request(m, rest, attempt))),
        );
        const found = fold(lines);
        expect(found).toHaveLength(turns.length);
        for (const [n, records] of turns.entries()) {
          const sum = records.reduce(
            (all, { usage, cost, retries, ms, sent_bytes, received_bytes, attempt }) =>
              addLedgers(all, {
                ...{ requests: 1, repairs: 0, toolMs: 0, cost, modelMs: ms },
                ...{ retries: retries + (attempt > 0 ? 1 : 0), usage: readCounts(usage) ?? NO_USAGE },
                ...{ sentBytes: sent_bytes, receivedBytes: received_bytes },
              }),
            EMPTY_LEDGER,
          );
          expect(found[n]?.ledger).toEqual(sum);
          expect(found[n]?.requests.reduce((all, one) => addUsage(all, one.usage ?? NO_USAGE), NO_USAGE)).toEqual(
            sum.usage,
          );
        }
      }),
    );
  });
});
