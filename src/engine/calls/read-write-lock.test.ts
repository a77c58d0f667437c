import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReadWriteLock } from './read-write-lock.ts';

const never = new AbortController().signal;

test('readers share the lock, a writer has it alone, and no reader overtakes a waiting writer', async () => {
  const lock = createReadWriteLock();
  const order: string[] = [];
  const take = async (name: string, mode: 'read' | 'write') => {
    const { release } = await lock.acquire(mode, never);
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
  const { release: reader } = await lock.acquire('read', never);
  const controller = new AbortController();
  const writer = lock.acquire('write', controller.signal);
  const late = lock.acquire('read', never);
  controller.abort('stop');
  await expect(writer).rejects.toBe('stop');
  (await late).release();
  reader();
  await expect(lock.acquire('read', controller.signal)).rejects.toBe('stop');
});

test.each(['read', 'write'] as const)(
  'a holder (%s) that lends the lock lets readers in, and no writer',
  async (mode) => {
    const lock = createReadWriteLock();
    const holder = await lock.acquire(mode, never);
    const order: string[] = [];
    const noted = async (name: string, as: 'read' | 'write') => {
      const held = await lock.acquire(as, never);
      order.push(name);
      return held;
    };
    const writer = noted('writer', 'write');
    const early = noted('early reader', 'read');
    let late: Promise<Awaited<typeof early>> | undefined;
    const lent = holder.lend(async () => {
      (await early).release();
      late = noted('late reader', 'read');
      await late;
    });
    await (mode === 'read' ? lent : Promise.resolve(late));
    if (mode === 'write') {
      await new Promise(setImmediate);
      expect(order).toEqual(['early reader', 'late reader']);
      (await late)?.release();
      await lent;
    }
    order.push('holder');
    holder.release();
    if (mode === 'read') (await late)?.release();
    (await writer).release();
    expect(order).toEqual(['early reader', 'late reader', 'holder', 'writer']);
  },
);

test('releasing the lock twice does no harm', async () => {
  const lock = createReadWriteLock();
  const { release } = await lock.acquire('write', never);
  release();
  release();
  const reader = await lock.acquire('read', never);
  reader.release();
});

test('a writer never shares the lock, in any order of requests', async () => {
  const job = fc.record({
    mode: fc.constantFrom('read' as const, 'write' as const),
    steps: fc.integer({ min: 0, max: 4 }),
    lends: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 20 }), async (jobs) => {
      const lock = createReadWriteLock();
      let readers = 0;
      let writers = 0;
      let lent = 0;
      await Promise.all(
        jobs.map(async ({ mode, steps, lends }) => {
          const { release, lend } = await lock.acquire(mode, never);
          const wait = async () => {
            for (let step = 0; step < steps; step++) await Promise.resolve();
          };
          const count = (by: number) => {
            if (mode === 'read') readers += by;
            else writers += by;
            expect(writers === 0 || (writers === 1 && readers === 0)).toBe(true);
          };
          if (lends) {
            if (mode === 'read') await lend(wait);
            else {
              lent++;
              await lend(wait);
              lent--;
            }
          }
          // A writer that lends the lock does not work meanwhile.
          expect(lent === 0 || mode === 'read').toBe(true);
          count(1);
          await wait();
          count(-1);
          release();
        }),
      );
    }),
  );
});
