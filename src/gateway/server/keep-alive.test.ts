import { expect, test } from 'vitest';
import { createKeepAlive } from './keep-alive.ts';

test('silence is reported again and again, until it is over', async () => {
  let times = 0;
  await new Promise<void>((resolve) => {
    const keepAlive = createKeepAlive(() => {
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
  createKeepAlive(() => times++, 5);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(times).toBe(0);
});
