import { describe, expect, test } from 'vitest';
import { addLedgers, EMPTY_LEDGER, type Ledger } from '../../../../src/base/ledger.ts';
import { NO_USAGE, type Usage } from '../../../../src/base/usage.ts';
import type { Event, ThreadUsage } from '../../../../src/index.ts';
import { createIds } from '../../../../src/testing/ids.ts';
import {
  call,
  encodeReply,
  fault,
  gate,
  type ReplyOptions,
  reply,
  type ScriptedAnswer,
  say,
} from '../../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../../harness/library-scene.ts';
import type { ConfigTable } from '../../../harness/scripted-config.ts';
import { testInTurn } from '../../../harness/test-in-turn.ts';
import { over, WIRES, type WireName } from '../../../harness/wires.ts';

const PRICES = { model_prices: { scripted: { input: 2, cached_input: 0.5, output: 10 } } };
const USAGE: ReplyOptions = { usage: { inputTokens: 1000, cachedInputTokens: 400, outputTokens: 50 } };
const USAGE_COST = (600 * 2 + 400 * 0.5 + 50 * 10) / 1e6;

/** Wires whose servers do not say what the cache saved. */
const WITHOUT_CACHE: readonly WireName[] = ['ollama'];
const usageCost = (wire: WireName) => (WITHOUT_CACHE.includes(wire) ? (1000 * 2 + 50 * 10) / 1e6 : USAGE_COST);
const cachedTokens = (wire: WireName) => (WITHOUT_CACHE.includes(wire) ? 0 : 400);

const configOf = (wire: WireName): ConfigTable => over(wire, PRICES);

/** Bytes of a last frame that comes after everything else and may be too late to be counted. */
const LATE_BYTES: Partial<Record<WireName, number>> = { chat: Buffer.byteLength('data: [DONE]\n\n') };

function expectReceived({ receivedBytes }: Ledger, answers: readonly ScriptedAnswer[], wire: WireName): void {
  const whole = answers.filter(({ kind }) => kind === 'reply' || kind === 'split').length;
  const sent = bytesOf(answers, wire);
  expect(receivedBytes).toBeLessThanOrEqual(sent);
  expect(receivedBytes).toBeGreaterThanOrEqual(sent - whole * (LATE_BYTES[wire] ?? 0));
}

/** Returns the bytes of the bodies that a server sends for these answers in this order. */
function bytesOf(answers: readonly ScriptedAnswer[], wire: WireName): number {
  const ids = createIds();
  return answers.reduce((sum, answer) => sum + encodeReply(answer, { wire, ids }).length, 0);
}

const arrivedBytes = ({ model }: LibraryScene) => model.requests.reduce((sum, { bytes }) => sum + bytes.length, 0);

type RequestEnded = Extract<Event, { type: 'request.ended' }>;
type CallEnded = Extract<Event, { type: 'call.ended' }>;

/** Returns the sum of the events of the requests and calls. */
function sumOfEvents(events: readonly Event[]): Ledger {
  const requests = events.filter((event): event is RequestEnded => event.type === 'request.ended');
  const calls = events.filter((event): event is CallEnded => event.type === 'call.ended');
  const again = events.filter((event) => event.type === 'retry' && event.of === 'response').length;
  const sum = requests
    .map(({ usage, ms, ...rest }) => ({ ...EMPTY_LEDGER, ...rest, requests: 1, usage: usage ?? NO_USAGE, modelMs: ms }))
    .reduce<Ledger>(addLedgers, EMPTY_LEDGER);
  const { retries, repairs, usage, cost, modelMs, sentBytes, receivedBytes } = sum;
  return {
    ...{ requests: requests.length, retries: retries + again, repairs, usage, cost, modelMs, sentBytes, receivedBytes },
    toolMs: calls.reduce((ms, { durationMs }) => ms + durationMs, 0),
  };
}

/** Expects that the sum of a thread is that of its turns, and the sum of a turn that of its requests and calls. */
function expectSums({ total, turns }: ThreadUsage): void {
  expect(turns.map(({ ledger }) => ledger).reduce(addLedgers, EMPTY_LEDGER)).toEqual(total);
  for (const { ledger, requests } of turns) {
    const sum = (part: (request: (typeof requests)[number]) => number) =>
      requests.reduce((all, request) => all + part(request), 0);
    expect(ledger.requests).toBe(requests.length);
    expect(ledger.retries).toBe(sum(({ retries }) => retries));
    expect(ledger.modelMs).toBe(sum(({ ms }) => ms));
    expect(ledger.sentBytes).toBe(sum(({ sentBytes }) => sentBytes));
    expect(ledger.receivedBytes).toBe(sum(({ receivedBytes }) => receivedBytes));
    for (const key of Object.keys(NO_USAGE) as (keyof Usage)[])
      expect(ledger.usage[key]).toBe(sum(({ usage }) => usage?.[key] ?? 0));
  }
}

describe.each(WIRES)('over %s, every number matches what the server saw', (wire) => {
  const testOne = testInTurn(WIRES.indexOf(wire));

  testOne('with retries, broken responses and parallel calls', async () => {
    const calls = [call('exec_command', { cmd: 'echo one' }), call('exec_command', { cmd: 'echo two' })];
    const answers: ScriptedAnswer[] = [
      fault.status(500, { error: { message: 'try again' } }),
      fault.html(502),
      reply(say('Both.'), ...calls, USAGE),
      fault.cut(reply(say('This breaks off.')), 300),
      reply(say('done'), USAGE),
    ];
    const s = await libraryScene(answers, configOf(wire));
    const thread = await s.agent.startThread(s.threadOptions());
    const { ledger, status } = await thread.run('Do it.');
    await thread.close();

    expect(status).toBe('completed');
    expect(s.model.requests).toHaveLength(5);
    expect(ledger).toMatchObject({
      requests: 3,
      // Two requests that were sent again, and a response that was asked for again.
      retries: 3,
      repairs: 0,
      usage: { inputTokens: 2000, cachedInputTokens: 2 * cachedTokens(wire), outputTokens: 100, totalTokens: 2100 },
      // The usage of the broken response is unknown.
      cost: null,
      sentBytes: arrivedBytes(s),
    });
    expectReceived(ledger, answers, wire);
    expect(ledger).toEqual(sumOfEvents(s.events));
    expect(s.events.find(({ type }) => type === 'turn.ledger')).toMatchObject({ ledger });

    const usage = await s.agent.usage(thread.id);
    expect(usage.turns).toMatchObject([
      { turn: 1, status: 'completed', input: 'Do it.', model: 'scripted', complete: true, ledger },
    ]);
    expect(usage.turns[0]?.knownCost).toBeCloseTo(2 * usageCost(wire), 12);
    expect(usage.turns[0]?.requests).toMatchObject([
      { request: 1, retries: 2, cost: usageCost(wire), error: null },
      { request: 2, retries: 0, cost: null, error: 'stream_broken', usage: null, receivedBytes: 300 },
      { request: 3, retries: 1, cost: usageCost(wire), error: null },
    ]);
    expectSums(usage);
  });

  testOne('in pieces of a few bytes', async () => {
    const answers = [fault.split(reply(say('In many small pieces.'), USAGE), 7)];
    const s = await libraryScene(answers, configOf(wire));
    const thread = await s.agent.startThread();
    const { ledger } = await thread.run('go');
    await thread.close();
    expectReceived(ledger, answers, wire);
    expect(ledger.cost).toBe(usageCost(wire));
  });

  testOne('from a server without usage', async () => {
    const s = await libraryScene([reply(say('done'), { omitUsage: true })], configOf(wire));
    const thread = await s.agent.startThread(s.threadOptions());
    const { ledger } = await thread.run('go');
    await thread.close();
    expect(ledger).toMatchObject({ requests: 1, usage: NO_USAGE, cost: null, sentBytes: arrivedBytes(s) });
    const usage = await s.agent.usage(thread.id);
    expect(usage.turns[0]).toMatchObject({ ledger, knownCost: 0, complete: true });
    expect(usage.turns[0]?.requests).toMatchObject([{ usage: null, cost: null, error: null }]);
  });

  testOne('for a turn that is interrupted in the middle of a response', async () => {
    const begun = reply(say('Never ends'), gate(new Promise(() => {})), say(' here.'));
    const s = await libraryScene([begun], configOf(wire));
    const stop = new AbortController();
    const onEvent = (event: Event) => {
      s.events.push(event);
      if (event.type === 'text.delta') stop.abort();
    };
    const thread = await s.agent.startThread({ onEvent });
    const { ledger, status } = await thread.run('go', { signal: stop.signal });
    await thread.close();
    expect(status).toBe('aborted');
    expect(ledger).toMatchObject({ requests: 1, cost: null, sentBytes: arrivedBytes(s) });
    expect(ledger.receivedBytes).toBeGreaterThan(0);
    expect(ledger.receivedBytes).toBeLessThan(bytesOf([begun], wire));
    const usage = await s.agent.usage(thread.id);
    expect(usage.turns).toMatchObject([{ status: 'aborted', ledger }]);
    expect(usage.turns[0]?.requests).toMatchObject([{ error: 'aborted', usage: null }]);
    expectSums(usage);
  });
});

test('repairs of a response are listed with its request', async () => {
  const broken = reply(call('exec_command', { cmd: 'echo repaired' }), { ...USAGE, finishReason: 'stop' });
  const s = await libraryScene([broken, reply(say('done'), USAGE)], configOf('chat'));
  const thread = await s.agent.startThread(s.threadOptions());
  const { ledger } = await thread.run('go');
  await thread.close();
  const repairs = s.events.filter(({ type }) => type === 'repair').length;
  expect(repairs).toBeGreaterThan(0);
  expect(ledger).toMatchObject({ repairs, cost: 2 * USAGE_COST });
  expect(ledger).toEqual(sumOfEvents(s.events));
  const { turns } = await s.agent.usage(thread.id);
  expect(turns[0]?.requests.map((request) => request.repairs)).toEqual([repairs, 0]);
  expect(turns[0]?.ledger).toEqual(ledger);
});

test('a request that a server refuses costs nothing and is still counted', async () => {
  const refusal = fault.status(400, { error: { message: 'no such thing' } });
  const s = await libraryScene([refusal], configOf('responses'));
  const thread = await s.agent.startThread();
  const { ledger, status } = await thread.run('go');
  await thread.close();
  expect(status).toBe('failed');
  expect(ledger).toMatchObject({
    ...{ requests: 1, retries: 0, cost: 0, sentBytes: arrivedBytes(s) },
    receivedBytes: bytesOf([refusal], 'responses'),
  });
  const { turns, total } = await s.agent.usage(thread.id);
  expect(turns).toMatchObject([{ status: 'failed', ledger }]);
  expect(total).toEqual(ledger);
});

test('an unreachable server gets no bytes', async () => {
  const s = await libraryScene([], configOf('responses'));
  await s.model.close();
  const thread = await s.agent.startThread();
  const { ledger } = await thread.run('go');
  await thread.close();
  expect(ledger).toMatchObject({ requests: 1, retries: 4, sentBytes: 0, receivedBytes: 0, cost: 0 });
});

test.each(WIRES)('impossible counts over %s do not spoil the totals', async (wire) => {
  const odd = [-5, 10.5, 1e308].map((count, n) =>
    reply(call('exec_command', { cmd: `echo ${n}` }), { usage: { inputTokens: count, outputTokens: 7 } }),
  );
  const s = await libraryScene([...odd, reply(say('done'), USAGE)], configOf(wire));
  const thread = await s.agent.startThread(s.threadOptions());
  const { usage, ledger } = await thread.run('go');
  await thread.close();
  expect(usage).toMatchObject({ inputTokens: 1000, outputTokens: 71, totalTokens: 1071 });
  expect(ledger.usage).toEqual(usage);
});

test('a model without a known price has an unknown cost', async () => {
  const s = await libraryScene([reply(say('done'), USAGE)]);
  const thread = await s.agent.startThread();
  const { ledger } = await thread.run('go');
  await thread.close();
  expect(ledger).toMatchObject({ cost: null, usage: { inputTokens: 1000 } });
  expect((await s.agent.usage(thread.id)).total).toEqual(ledger);
});

test('a resumed thread continues its ledger, and a fork begins its own', async () => {
  const s = await libraryScene(() => reply(say('done'), USAGE), configOf('responses'));
  const first = await s.agent.startThread();
  const ledgers = [(await first.run('one')).ledger];
  await first.close();
  const second = await s.agent.resumeThread(first.id);
  ledgers.push((await second.run('two')).ledger, (await second.run('three')).ledger);
  await second.close();
  const usage = await s.agent.usage(first.id);
  expect(usage.turns.map(({ turn, input }) => [turn, input])).toEqual([
    [1, 'one'],
    [2, 'two'],
    [3, 'three'],
  ]);
  expect(usage.turns.map(({ ledger }) => ledger)).toEqual(ledgers);
  expect(usage.total).toEqual(ledgers.reduce(addLedgers));
  expect(usage.total.sentBytes).toBe(arrivedBytes(s));
  expectSums(usage);

  const fork = await s.agent.forkThread(first.id);
  const { ledger } = await fork.run('four');
  await fork.close();
  const forked = await s.agent.usage(fork.id);
  expect(forked.turns.map(({ turn, input }) => [turn, input])).toEqual([[4, 'four']]);
  expect(forked.total).toEqual(ledger);
  expect(await s.agent.usage(first.id)).toEqual(usage);
});

test('the request for a summary is counted in the turn that sent it', async () => {
  const answers = [reply(say('done'), USAGE), reply(say('What was done.'), USAGE)];
  const s = await libraryScene(answers, configOf('responses'));
  const thread = await s.agent.startThread();
  const ledgers = [(await thread.run('one')).ledger, (await thread.compact()).ledger];
  await thread.close();
  expect(ledgers[1]).toMatchObject({ requests: 1, cost: USAGE_COST, usage: { inputTokens: 1000 } });
  const usage = await s.agent.usage(thread.id);
  expect(usage.turns.map(({ ledger }) => ledger)).toEqual(ledgers);
  expect(usage.total.sentBytes).toBe(arrivedBytes(s));
  expectSums(usage);
});

test('a limit on the cost ends the turn before the next request', async () => {
  const s = await libraryScene(() => reply(call('exec_command', { cmd: 'true' }), USAGE), configOf('responses'));
  const thread = await s.agent.startThread();
  const result = await thread.run('go', { limits: { maxCost: 2.5 * USAGE_COST } });
  await thread.close();
  expect(s.model.requests).toHaveLength(3);
  expect(result.error).toMatchObject({ code: 'limit' });
  expect(result.ledger.cost).toBeCloseTo(3 * USAGE_COST, 12);
});

test('a limit on the cost counts what a broken response may have cost', async () => {
  const cut = fault.cut(reply(say('This breaks off.')), 300);
  const s = await libraryScene(() => cut, configOf('responses'));
  const thread = await s.agent.startThread();
  const result = await thread.run('go', { limits: { maxCost: 0.001 } });
  await thread.close();
  expect(result.error?.message).toMatch(/^The limit of \$0\.001 was reached: \$0\.\d{4} spent\.$/);
  expect(s.model.requests).toHaveLength(1);
});

test('a token limit counts an estimate for a server without usage', async () => {
  const s = await libraryScene(() => reply(call('exec_command', { cmd: 'true' }), { omitUsage: true }));
  const thread = await s.agent.startThread();
  const result = await thread.run('go', { limits: { maxTokens: 1000 } });
  await thread.close();
  expect(result.error?.message).toMatch(/^The limit of 1000 tokens was reached: \d+ used/);
  expect(s.model.requests).toHaveLength(1);
});

test('a cost limit that cannot be enforced is refused before anything happens', async () => {
  const s = await libraryScene([]);
  const thread = await s.agent.startThread(s.threadOptions());
  await expect(thread.run('go', { limits: { maxCost: 1 } })).rejects.toThrow(
    'what scripted costs at this provider is not known',
  );
  await thread.close();
  expect(s.events).toEqual([]);
  expect(s.model.requests).toEqual([]);
});
