import { expect, test } from 'vitest';
import { lazy, lazyMethods } from './lazy.ts';

test('a value is loaded once', async () => {
  let loads = 0;
  const value = lazy(async () => ++loads);
  expect(await Promise.all([value(), value()])).toEqual([1, 1]);
});

test('a failed load is tried again', async () => {
  let loads = 0;
  const value = lazy(async () => {
    if (++loads === 1) throw new Error('not yet');
    return loads;
  });
  await expect(value()).rejects.toThrow('not yet');
  expect(await value()).toBe(2);
});

test('a method loads its object and passes its arguments on', async () => {
  let loads = 0;
  const counter = {
    total: 1,
    async add(first: number, second: number) {
      this.total += first + second;
      return this.total;
    },
  };
  const methods = lazyMethods(
    lazy(async () => {
      loads++;
      return counter;
    }),
    ['add'],
  );
  expect(loads).toBe(0);
  expect(await methods.add(2, 3)).toBe(6);
  expect(await methods.add(1, 1)).toBe(8);
  expect(loads).toBe(1);
});
