import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import type { Limiter, PermitEnd, RequestPermit } from '../base/limiter.ts';
import { NO_USAGE } from '../base/usage.ts';
import { createLimiter, type LimiterOptions } from './create-limiter.ts';

/** Returns a clock that moves only by `goTo`. */
function testClock() {
  let time = 0;
  const sleeps = new Map<() => void, number>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    world: {
      now: () => Date.UTC(2026, 0, 1) + time,
      monotonic: () => time,
      random: () => 0.5,
      sleep: (ms: number, signal: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          sleeps.set(resolve, time + ms);
          signal.addEventListener('abort', () => {
            sleeps.delete(resolve);
            reject(signal.reason);
          });
        }),
    },
    now: () => time,
    sleeping: () => sleeps.size,
    settle,
    /** Goes on to a time, through each moment at which a sleep ends. */
    async goTo(until: number): Promise<void> {
      await settle();
      for (;;) {
        const [first] = [...sleeps].sort(([, a], [, b]) => a - b);
        if (first === undefined || first[1] > until) break;
        sleeps.delete(first[0]);
        time = Math.max(time, first[1]);
        first[0]();
        await settle();
      }
      time = Math.max(time, until);
    },
  };
}

const used = (totalTokens: number): PermitEnd => ({ status: 200, usage: { ...NO_USAGE, totalTokens } });

/** Asks for a permit and reports when it came. */
function ask(limiter: Limiter, now: () => number, estimate = 1) {
  const abort = new AbortController();
  const asked: { at?: number; permit?: RequestPermit; error?: unknown; abort: () => void } = {
    abort: () => abort.abort(),
  };
  limiter.acquire({ signal: abort.signal, estimate }).then(
    (permit) => Object.assign(asked, { at: now(), permit }),
    (error) => Object.assign(asked, { error }),
  );
  return asked;
}

function scene(options: LimiterOptions) {
  const clock = testClock();
  const limiter = createLimiter({ ...options, world: clock.world });
  return { ...clock, limiter, ask: (estimate?: number) => ask(limiter, clock.now, estimate) };
}

test('at most as many answers as allowed are under way, and the first to come is the first to start', async () => {
  const { ask, settle, sleeping } = scene({ concurrency: 2 });
  const asked = [ask(), ask(), ask(), ask()];
  await settle();
  expect(asked.map(({ permit }) => permit !== undefined)).toEqual([true, true, false, false]);
  void asked[1]?.permit?.release({ status: 200 });
  void asked[1]?.permit?.release({ status: 200 });
  await settle();
  expect(asked.map(({ permit }) => permit !== undefined)).toEqual([true, true, true, false]);
  expect(sleeping()).toBe(0);
});

test('requests of a minute are counted from their start, failed ones too', async () => {
  const { ask, goTo } = scene({ requestsPerMinute: 2 });
  const first = ask();
  await goTo(10_000);
  void first.permit?.release({ status: 500 });
  const rest = [ask(), ask(), ask()];
  await goTo(200_000);
  expect(rest.map(({ at }) => at)).toEqual([10_000, 60_000, 70_000]);
});

test('the tokens that the server reports replace the estimate', async () => {
  const { ask, goTo } = scene({ tokensPerMinute: 100 });
  const small = ask(90);
  const next = ask(50);
  await goTo(1000);
  expect(next.at).toBeUndefined();
  void small.permit?.release(used(40));
  await goTo(2000);
  expect(next.at).toBe(1000);
  void next.permit?.release(used(300));
  const last = ask(1);
  await goTo(100_000);
  expect(last.at).toBe(61_000);
});

test('a refused request takes no tokens, one without usage keeps its estimate', async () => {
  const { ask, goTo } = scene({ tokensPerMinute: 100 });
  const refused = ask(100);
  await goTo(0);
  void refused.permit?.release({ status: 429 });
  const silent = ask(100);
  await goTo(5);
  expect(silent.at).toBe(0);
  void silent.permit?.release({ status: 200 });
  const last = ask(1);
  await goTo(100_000);
  expect(last.at).toBe(60_000);
});

test('a request that is larger than the limit is sent alone', async () => {
  const { ask, goTo } = scene({ tokensPerMinute: 100 });
  const asked = [ask(10), ask(1000), ask(10)];
  await goTo(200_000);
  expect(asked.map(({ at }) => at)).toEqual([0, 60_000, 120_000]);
});

test('a wait that the server asks for holds all requests, which then start one after another', async () => {
  const { ask, goTo } = scene({});
  const refused = ask();
  await goTo(0);
  void refused.permit?.release({ status: 429, retryAfterMs: 5000 });
  const asked = [ask(), ask(), ask()];
  await goTo(10_000);
  expect(asked.map(({ at }) => at)).toEqual([5050, 5100, 5150]);
  await goTo(70_000);
  const later = [ask(), ask()];
  await goTo(80_000);
  expect(later.map(({ at }) => at)).toEqual([70_000, 70_000]);
});

test('a wait of more than ten minutes fails requests at once, and the error names the time', async () => {
  const { ask, goTo } = scene({ concurrency: 1 });
  const refused = ask();
  const waiting = ask();
  await goTo(0);
  void refused.permit?.release({ status: 429, retryAfterMs: 3_600_000 });
  const later = ask();
  await goTo(1);
  for (const { error } of [waiting, later])
    expect(error).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('asks to wait until') });
  await goTo(3_000_000);
  const patient = ask();
  await goTo(4_000_000);
  expect(patient.at).toBe(3_600_050);
});

test('an interrupted request leaves the queue at once, and no timer stays', async () => {
  const { ask, goTo, settle, sleeping } = scene({ requestsPerMinute: 1 });
  const asked = [ask(), ask(), ask()];
  await settle();
  expect(sleeping()).toBe(1);
  asked[1]?.abort();
  await settle();
  expect(asked[1]?.error).toMatchObject({ name: 'AbortError' });
  asked[2]?.abort();
  await settle();
  expect(sleeping()).toBe(0);
  const last = ask();
  await goTo(60_000);
  expect(last.at).toBe(60_000);
});

test.each([0, -1, 1.5, Number.NaN])('a limit of %s is a mistake', (concurrency) => {
  expect(() => createLimiter({ concurrency })).toThrow(
    `concurrency of createLimiter must be a whole number from 1 on, not ${concurrency}.`,
  );
});

test('an option that does not exist is a mistake', () => {
  expect(() => createLimiter({ rpm: 1 } as LimiterOptions)).toThrow('createLimiter has no option "rpm".');
});

describe('whatever requests come', () => {
  const request = fc.record({
    comes: fc.nat(150_000),
    takes: fc.nat(90_000),
    estimate: fc.integer({ min: 1, max: 60 }),
    tokens: fc.option(fc.nat(80), { nil: undefined }),
    givesUp: fc.option(fc.nat(100_000), { nil: undefined }),
    asksToWait: fc.option(fc.nat(20_000), { nil: undefined, freq: 8 }),
  });
  const limits = fc.record({
    concurrency: fc.integer({ min: 1, max: 4 }),
    requestsPerMinute: fc.integer({ min: 1, max: 6 }),
    tokensPerMinute: fc.integer({ min: 20, max: 200 }),
  });

  test('no limit is passed, the order is kept and no request is lost', async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(request, { maxLength: 25 }), async (limits, requests) => {
        const { limiter, world, goTo, now, sleeping } = scene(limits);
        const came: number[] = [];
        const started: { id: number; at: number; end: number }[] = [];
        const rejected: number[] = [];
        const done = requests.map(async ({ comes, takes, estimate, tokens, givesUp, asksToWait }, id) => {
          const { signal } = new AbortController();
          await world.sleep(comes, signal);
          came.push(id);
          const abort = new AbortController();
          if (givesUp !== undefined) void world.sleep(givesUp, signal).then(() => abort.abort());
          let permit: RequestPermit;
          try {
            permit = await limiter.acquire({ signal: abort.signal, estimate });
          } catch {
            rejected.push(id);
            return;
          }
          const start = { id, at: now(), end: Number.POSITIVE_INFINITY };
          started.push(start);
          await world.sleep(takes, signal);
          start.end = now();
          const usage = tokens === undefined ? undefined : { ...NO_USAGE, totalTokens: tokens };
          const retryAfterMs = asksToWait;
          void permit.release({
            status: 200,
            ...(usage && { usage }),
            ...(retryAfterMs !== undefined && { retryAfterMs }),
          });
          expect(start.at).toBeLessThanOrEqual(start.end);
        });
        await goTo(10_000_000);
        await Promise.all(done);
        expect([...started.map(({ id }) => id), ...rejected].sort()).toEqual([...came].sort());
        expect(came.filter((id) => started.some((start) => start.id === id))).toEqual(started.map(({ id }) => id));
        for (const { at } of started) {
          const together = started.filter((other) => other.at <= at && at < other.end);
          expect(together.length).toBeLessThanOrEqual(limits.concurrency);
          const inMinute = started.filter((other) => other.at > at - 60_000 && other.at <= at);
          expect(inMinute.length).toBeLessThanOrEqual(limits.requestsPerMinute);
        }
        expect(sleeping()).toBe(0);
      }),
      { numRuns: runs(300) },
    );
  });
});
