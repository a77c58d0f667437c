import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReadWriteLock } from './read-write-lock.ts';

const never = new AbortController().signal;

test('readers share the lock, a writer has it alone, and no reader overtakes a waiting writer', async () => {
  const lock = createReadWriteLock();
  const order: string[] = [];
  const take = async (name: string, mode: 'read' | 'write') => {
    const release = await lock.acquire(mode, never);
    order.push(name);
    return release;
  };
  const [first, second] = await Promise.all([take('reader 1', 'read'), take('reader 2', 'read')]);
  const writer = take('writer', 'write');
  const late = take('late reader', 'read');
  first();
  await Promise.resolve();
  expect(order).toEqual(['reader 1', 'reader 2']);
  second();
  (await writer)();
  (await late)();
  expect(order).toEqual(['reader 1', 'reader 2', 'writer', 'late reader']);
});

test('a waiter that gives up lets the next one in', async () => {
  const lock = createReadWriteLock();
  const reader = await lock.acquire('read', never);
  const controller = new AbortController();
  const writer = lock.acquire('write', controller.signal);
  const late = lock.acquire('read', never);
  controller.abort('stop');
  await expect(writer).rejects.toBe('stop');
  (await late)();
  reader();
  await expect(lock.acquire('read', controller.signal)).rejects.toBe('stop');
});

test('releasing the lock twice does no harm', async () => {
  const lock = createReadWriteLock();
  const release = await lock.acquire('write', never);
  release();
  release();
  const reader = await lock.acquire('read', never);
  reader();
});

test('a writer never shares the lock, in any order of requests', async () => {
  const job = fc.record({
    mode: fc.constantFrom('read' as const, 'write' as const),
    steps: fc.integer({ min: 0, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 20 }), async (jobs) => {
      const lock = createReadWriteLock();
      let readers = 0;
      let writers = 0;
      await Promise.all(
        jobs.map(async ({ mode, steps }) => {
          const release = await lock.acquire(mode, never);
          if (mode === 'read') readers++;
          else writers++;
          expect(writers === 0 || (writers === 1 && readers === 0)).toBe(true);
          for (let step = 0; step < steps; step++) await Promise.resolve();
          if (mode === 'read') readers--;
          else writers--;
          release();
        }),
      );
    }),
  );
});
