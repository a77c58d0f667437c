import { expect, test } from 'vitest';
import type { StoredResponse } from '../base/response-store.ts';
import { createMemoryStore } from './memory-store.ts';

function entry(text = 'x'): StoredResponse {
  return { input: [], output: [], body: { text } };
}

function store(options: { ttlMs?: number; maxEntries?: number; maxBytes?: number } = {}) {
  const clock = { ms: 1000 };
  const made = createMemoryStore({ ttlMs: 100, maxEntries: 3, maxBytes: 100_000, now: () => clock.ms, ...options });
  return { clock, ...made };
}

test('an entry is there until it is deleted', () => {
  const s = store();
  const first = entry();
  s.put('a', first);
  expect(s.get('a')).toBe(first);
  expect(s.get('b')).toBeUndefined();
  expect(s.delete('a')).toBe(true);
  expect(s.delete('a')).toBe(false);
  expect(s.get('a')).toBeUndefined();
});

test('the least recently used goes first', () => {
  const s = store();
  for (const id of ['a', 'b', 'c']) s.put(id, entry(id));
  s.get('a');
  s.put('d', entry());
  expect(['a', 'b', 'c', 'd'].map((id) => s.get(id) !== undefined)).toEqual([true, false, true, true]);
});

test('an entry ends with its time, also when it was asked for meanwhile', () => {
  const s = store();
  s.put('a', entry());
  s.clock.ms += 60;
  s.put('b', entry());
  expect(s.get('a')).toBeDefined();
  s.clock.ms += 40;
  expect(s.get('a')).toBeUndefined();
  expect(s.delete('a')).toBe(false);
  expect(s.get('b')).toBeDefined();
  s.clock.ms += 60;
  expect(s.get('b')).toBeUndefined();
});

test('what is put again begins anew', () => {
  const s = store();
  s.put('a', entry('one'));
  s.clock.ms += 60;
  const second = entry('two');
  s.put('a', second);
  s.clock.ms += 60;
  expect(s.get('a')).toBe(second);
});

test('the bytes are bounded', () => {
  const s = store({ maxEntries: 1000, maxBytes: 10_000 });
  for (const id of ['a', 'b', 'c']) s.put(id, entry('x'.repeat(4000)));
  expect(['a', 'b', 'c'].map((id) => s.get(id) !== undefined)).toEqual([false, true, true]);
  s.put('b', entry('x'.repeat(20_000)));
  expect(s.get('b'), 'one that is larger than the store is not kept').toBeUndefined();
  expect(s.get('c'), 'and takes nobody with it').toBeDefined();
  for (let n = 0; n < 100; n++) s.put('c', entry('x'.repeat(4000)));
  expect(s.get('c'), 'the bytes of what was replaced are free again').toBeDefined();
});

test('values that hold very many others are measured without an end of the stack', () => {
  const s = store({ maxBytes: 10_000_000 });
  let deep: unknown = 'x';
  for (let n = 0; n < 50_000; n++) deep = [deep];
  s.put('a', { input: [], output: [], body: deep });
  expect(s.get('a')?.body).toBe(deep);
});
