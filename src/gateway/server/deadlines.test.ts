import { createHook } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDeadlines } from './deadlines.ts';

test('a deadline that is not called off is met in order, not before its time, and once', async () => {
  const deadlines = createDeadlines(40);
  const began = performance.now();
  const happened: string[] = [];
  const times: number[] = [];
  const set = (name: string) =>
    deadlines.set(() => {
      happened.push(name);
      times.push(performance.now() - began);
    });
  set('a');
  const off = set('off');
  await wait(20);
  set('b');
  deadlines.callOff(off);
  await wait(200);
  expect(happened).toEqual(['a', 'b']);
  expect(times[0]).toBeGreaterThanOrEqual(39);
  expect(times[1]).toBeGreaterThanOrEqual(59);
  set('later');
  await wait(100);
  expect(happened).toEqual(['a', 'b', 'later']);
});

test('a deadline that is set while others are met waits its own time', async () => {
  const deadlines = createDeadlines(10);
  let times = 0;
  const again = () => {
    if (++times < 3) deadlines.set(again);
  };
  deadlines.set(again);
  await wait(200);
  expect(times).toBe(3);
});

test('deadlines that are set again and again have one timer', async () => {
  let timers = 0;
  const hook = createHook({
    init(_, type) {
      if (type === 'Timeout') timers++;
    },
  }).enable();
  const deadlines = createDeadlines(5);
  let times = 0;
  const again = () => {
    times++;
    deadlines.set(again);
  };
  for (let n = 0; n < 10; n++) {
    deadlines.set(again);
    await wait(1);
  }
  await wait(100);
  hook.disable();
  expect(times).toBeGreaterThan(20);
  // The waits of this test are the others.
  expect(timers).toBeLessThanOrEqual(times + 12);
});
