import { describe, expect, test } from 'vitest';
import { createWorld, type WorldOptions } from './create-world.ts';

const idle = new AbortController().signal;
const HOUR = 3_600_000;

function drawn(options: WorldOptions): unknown[] {
  const world = createWorld(options);
  return Array.from({ length: 50 }, () => [world.uuid(), world.random(), world.now(), world.monotonic()]);
}

describe('a seed', () => {
  test('decides ids, random numbers and the clock', () => {
    expect(drawn({ seed: 7 })).toEqual(drawn({ seed: 7 }));
    expect(drawn({ seed: 7 })).not.toEqual(drawn({ seed: 8 }));
  });

  test('yields ids of version 7 in order, and numbers from 0 up to 1', () => {
    const world = createWorld({ seed: 1 });
    const ids = Array.from({ length: 5000 }, () => world.uuid());
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const numbers = Array.from({ length: 5000 }, () => world.random());
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    const average = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    expect(average).toBeGreaterThan(0.45);
    expect(average).toBeLessThan(0.55);
  });
});

describe('the clock', () => {
  test('stands at a given time, and waits move it', async () => {
    const world = createWorld({ now: new Date('2030-01-01'), skipSleep: true });
    const from = world.monotonic();
    expect(world.now()).toBe(Date.parse('2030-01-01'));
    await world.sleep(HOUR, idle);
    expect(world.now()).toBe(Date.parse('2030-01-01') + HOUR);
    expect(world.monotonic() - from).toBe(HOUR);
  });

  test('is the real one otherwise, ahead by the waits that were skipped', async () => {
    const world = createWorld({ skipSleep: true });
    const before = Date.now();
    await world.sleep(HOUR, idle);
    expect(world.now() - HOUR).toBeGreaterThanOrEqual(before);
    expect(world.now() - HOUR).toBeLessThanOrEqual(Date.now());
  });

  test('is not moved twice by a wait that took its time', async () => {
    const world = createWorld();
    await world.sleep(20, idle);
    expect(world.now()).toBeLessThanOrEqual(Date.now());
  });
});

test.each([true, false])('a wait ends with the signal (skipSleep: %s)', async (skipSleep) => {
  const world = createWorld({ skipSleep });
  await expect(world.sleep(HOUR, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});
