import { expect, test } from 'vitest';
import { realWorld } from './real-world.ts';

test('ids are UUIDs of version 7, all different, each greater than the one before', () => {
  const world = realWorld();
  const ids = Array.from({ length: 5000 }, () => world.uuid());
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids).toEqual([...new Set(ids)].sort());
  const time = Number.parseInt((ids[0] ?? '').replaceAll('-', '').slice(0, 12), 16);
  expect(Math.abs(time - Date.now())).toBeLessThan(10_000);
});

test('sleeping ends early when the signal aborts', async () => {
  const controller = new AbortController();
  const sleeping = realWorld().sleep(60_000, controller.signal);
  controller.abort();
  await expect(sleeping).rejects.toThrow();
});
