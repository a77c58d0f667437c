import { expect, test, vi } from 'vitest';
import { createKeepAlives } from './keep-alive.ts';

test('silence is reported again and again, until it is over', async () => {
  let times = 0;
  await new Promise<void>((resolve) => {
    const keepAlive = createKeepAlives()(() => {
      if (++times < 3) return;
      keepAlive.stop();
      resolve();
    }, 5);
    keepAlive.touch();
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(times).toBe(3);
});

test('nothing is reported before the first touch', async () => {
  let times = 0;
  createKeepAlives()(() => times++, 5);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(times).toBe(0);
});

test('a silence is reported before it is too long, and none while something is written', async () => {
  const start = createKeepAlives();
  const began = performance.now();
  let silentMs = Number.NaN;
  let times = 0;
  const silent = start(() => (silentMs = performance.now() - began), 400);
  const busy = start(() => times++, 400);
  silent.touch();
  const writing = setInterval(() => busy.touch(), 20);
  await vi.waitFor(() => expect(silentMs).toBeGreaterThan(0), 5000);
  clearInterval(writing);
  silent.stop();
  busy.stop();
  expect(silentMs).toBeGreaterThanOrEqual(300);
  expect(times).toBe(0);
});
