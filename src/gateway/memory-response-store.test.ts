import { expect, test } from 'vitest';
import type { Item } from '../base/item.ts';
import type { ResponseStore, StoredResponse } from '../base/response-store.ts';
import { createMemoryResponseStore } from './memory-response-store.ts';

function entry(text = 'x'): StoredResponse {
  return { input: [], output: [], body: { text } };
}

function store(options: { ttlMs?: number; maxEntries?: number; maxBytes?: number } = {}) {
  const clock = { ms: 1000 };
  const made = createMemoryResponseStore({
    ttlMs: 100,
    maxEntries: 3,
    maxBytes: 100_000,
    now: () => clock.ms,
    ...options,
  });
  return { clock, ...made };
}

async function kept({ get }: ResponseStore, ...ids: readonly string[]): Promise<boolean[]> {
  const entries = await Promise.all(ids.map(get));
  return entries.map((one) => one !== undefined);
}

test('an entry can be read until it is deleted', async () => {
  const s = store();
  const first = entry();
  await s.put('a', first);
  expect(await s.get('a')).toBe(first);
  expect(await s.get('b')).toBeUndefined();
  expect(await s.delete('a')).toBe(true);
  expect(await s.delete('a')).toBe(false);
  expect(await s.get('a')).toBeUndefined();
});

test('an item is found by its id while its response is stored, unless two responses have it', async () => {
  const item: Item = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
  const s = store({ maxEntries: 2 });
  await s.put('a', { ...entry(), output: [item], keptBy: 'openai' });
  expect(await s.find('msg_1')).toEqual({ item, keptBy: 'openai' });
  await s.put('b', { ...entry(), output: [{ ...item }] });
  expect(await s.find('msg_1')).toBeUndefined();
  await s.delete('b');
  expect(await s.find('msg_1')).toMatchObject({ item });
  await s.put('c', { ...entry(), output: [item, item] });
  await s.delete('a');
  expect(await s.find('msg_1')).toBeUndefined();
});

test('a response whose item is looked for counts as used', async () => {
  const item: Item = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
  const s = store();
  await s.put('a', { ...entry(), output: [item] });
  for (const id of ['b', 'c']) await s.put(id, entry());
  await s.find('msg_1');
  await s.put('d', entry());
  expect(await kept(s, 'a', 'b')).toEqual([true, false]);
});

test('the least recently used entry is dropped first', async () => {
  const s = store();
  for (const id of ['a', 'b', 'c']) await s.put(id, entry(id));
  await s.get('a');
  await s.put('d', entry());
  expect(await kept(s, 'a', 'b', 'c', 'd')).toEqual([true, false, true, true]);
});

test('an entry expires, even if it was read in the meantime', async () => {
  const s = store();
  await s.put('a', entry());
  s.clock.ms += 60;
  await s.put('b', entry());
  expect(await s.get('a')).toBeDefined();
  s.clock.ms += 40;
  expect(await s.get('a')).toBeUndefined();
  expect(await s.delete('a')).toBe(false);
  expect(await s.get('b')).toBeDefined();
  s.clock.ms += 60;
  expect(await s.get('b')).toBeUndefined();
});

test('an entry that is put again has its full time again', async () => {
  const s = store();
  await s.put('a', entry('one'));
  s.clock.ms += 60;
  const second = entry('two');
  await s.put('a', second);
  s.clock.ms += 60;
  expect(await s.get('a')).toBe(second);
});

test('the bytes are bounded', async () => {
  const s = store({ maxEntries: 1000, maxBytes: 10_000 });
  for (const id of ['a', 'b', 'c']) await s.put(id, entry('x'.repeat(4000)));
  expect(await kept(s, 'a', 'b', 'c')).toEqual([false, true, true]);
  await s.put('b', entry('x'.repeat(20_000)));
  expect(await s.get('b'), 'one that is larger than the store is not kept').toBeUndefined();
  expect(await s.get('c'), 'and takes nobody with it').toBeDefined();
  for (let n = 0; n < 100; n++) await s.put('c', entry('x'.repeat(4000)));
  expect(await s.get('c'), 'the bytes of what was replaced are free again').toBeDefined();
});

test('deeply nested values do not overflow the stack', async () => {
  const s = store({ maxBytes: 10_000_000 });
  let deep: unknown = 'x';
  for (let n = 0; n < 50_000; n++) deep = [deep];
  await s.put('a', { input: [], output: [], body: deep });
  expect((await s.get('a'))?.body).toBe(deep);
});
