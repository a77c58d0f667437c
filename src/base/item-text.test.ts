import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Item } from './item.ts';
import { itemText, withSharedImages } from './item-text.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function picture(n: number, characters: number): Item {
  const image_url = `data:image/png;base64,${String(n).padStart(8, '0')}${'A'.repeat(characters)}`;
  return { type: 'message', role: 'user', content: [{ type: 'input_image', image_url }] };
}

test('an item with shared images is the same item, with the same text', () => {
  const small = picture(1, 10);
  expect(withSharedImages(small)).toBe(small);
  for (const item of [picture(2, 50_000), { ...picture(3, 20_000), type: 'message', id: 'm"1' } as Item]) {
    const text = itemText(item);
    const shared = withSharedImages(item);
    expect(shared).toEqual(item);
    expect(itemText(shared)).toBe(text);
    expect(JSON.stringify(shared)).toBe(text);
  }
  const output = [{ type: 'input_image', image_url: `data:image/png;base64,${'B'.repeat(30_000)}` }] as const;
  const answer: Item = { type: 'function_call_output', call_id: 'c', output };
  expect(withSharedImages(answer)).toEqual(answer);
});

test('an image is in memory once', () => {
  const characters = 1_000_000;
  const count = 40;
  collect();
  const before = process.memoryUsage().heapUsed;
  const items = Array.from({ length: count }, (_, n) => withSharedImages(picture(n, characters)));
  for (const item of items) itemText(item);
  collect();
  const each = (process.memoryUsage().heapUsed - before) / count;
  expect(items).toHaveLength(count);
  expect(each).toBeGreaterThan(0.9 * characters);
  expect(each).toBeLessThan(1.5 * characters);
});
