import { expect, test } from 'vitest';
import { createBodyRoom } from './body-room.ts';

const options = { maxBytes: 100, waitMs: 60_000, signal: new AbortController().signal };

/** Returns the order in which bodies got their room. */
function waits(room: ReturnType<typeof createBodyRoom>) {
  const order: string[] = [];
  const take = async (name: string, bytes: number) => {
    const taken = await room.take(bytes, options);
    order.push(name);
    return taken;
  };
  return { order, take };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('bodies wait for room in the order of their requests, also those that would fit', async () => {
  const { order, take } = waits(createBodyRoom());
  const first = await take('first', 60);
  void take('second', 60);
  void take('third', 10);
  await settled();
  expect(order).toEqual(['first']);
  first.release();
  await settled();
  expect(order).toEqual(['first', 'second', 'third']);
});

test('a body that is smaller than announced gives the rest back, and all of it once', async () => {
  const { order, take } = waits(createBodyRoom());
  const first = await take('first', 100);
  void take('second', 80);
  first.shrink(30);
  await settled();
  expect(order).toEqual(['first']);
  first.shrink(20);
  await settled();
  expect(order).toEqual(['first', 'second']);
  first.release();
  first.release();
  take('third', 21).catch(() => {});
  await settled();
  expect(order).toEqual(['first', 'second']);
});

test('a body that is larger than all the room gets it alone', async () => {
  const { order, take } = waits(createBodyRoom());
  const large = await take('large', 1000);
  void take('small', 1);
  await settled();
  expect(order).toEqual(['large']);
  large.release();
  await settled();
  expect(order).toEqual(['large', 'small']);
});

test('a body that waits too long is refused, and one whose client leaves waits no longer', async () => {
  const room = createBodyRoom();
  const first = await room.take(100, options);
  await expect(room.take(1, { ...options, waitMs: 5 })).rejects.toMatchObject({
    status: 503,
    headers: { 'retry-after': '5' },
  });
  const client = new AbortController();
  const waiting = room.take(1, { ...options, signal: client.signal });
  client.abort();
  await expect(waiting).rejects.toThrow('over before its request was read');
  first.release();
  await room.take(100, options);
});
