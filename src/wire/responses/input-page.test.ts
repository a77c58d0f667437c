import { expect, test } from 'vitest';
import type { Item } from '../../base/item.ts';
import { inputPage } from './input-page.ts';

const INPUT = Array.from({ length: 25 }, (_, n): Item => ({ type: 'message', role: 'user', id: `m${n}`, content: [] }));
const ids = (query: string) => {
  const { data, has_more } = inputPage(INPUT, query) as { data: { id: string }[]; has_more: boolean };
  return [data.map(({ id }) => id).join(' '), has_more];
};

test('a page begins with the newest item and says whether more items follow', () => {
  const newest = Array.from({ length: 20 }, (_, n) => `m${24 - n}`).join(' ');
  expect(ids('')).toEqual([newest, true]);
  expect(ids('after=m5')).toEqual(['m4 m3 m2 m1 m0', false]);
  expect(ids('order=asc&limit=2')).toEqual(['m0 m1', true]);
  expect(ids('order=asc&limit=2&after=m23')).toEqual(['m24', false]);
  expect(ids('limit=odd')).toEqual([newest, true]);
});

test('items without an id get one', () => {
  expect(inputPage([{ type: 'message', role: 'user', content: [] }], '')).toMatchObject({ first_id: 'item_0' });
});
