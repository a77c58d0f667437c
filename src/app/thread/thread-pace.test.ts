import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createThreadPace } from './thread-pace.ts';

test('a few requests pass in a round of the event loop, the others later and in order', async () => {
  const { request } = createThreadPace();
  const passed: number[] = [];
  const all = Array.from({ length: 20 }, (_, n) => request().then(() => passed.push(n)));
  await Promise.resolve();
  const counts = [passed.length];
  for (let round = 0; round < 12; round++) {
    await nextRound();
    counts.push(passed.length);
  }
  await Promise.all(all);
  expect(passed).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(counts[0]).toBeLessThan(10);
  expect(Math.max(...counts.slice(1).map((count, n) => count - (counts[n] ?? 0)))).toBeLessThan(10);
});

test('beginnings do not wait for requests', async () => {
  const { begin, request } = createThreadPace();
  const requests = Array.from({ length: 200 }, () => request());
  await begin();
  await Promise.all([begin(), begin()]);
  await Promise.all(requests);
});
