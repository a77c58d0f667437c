import { expect, test } from 'vitest';
import { createNameCodec } from './name-codec.ts';

const encoded = (...names: string[]) => names.map(createNameCodec(names).encode);

test('a plain name is unchanged, others lose characters that are not plain', () => {
  expect(encoded('shell', 'files.read', 'mcp:a/b', 'wetter_für')).toEqual([
    'shell',
    'files_read',
    'mcp_a_b',
    'wetter_f_r',
  ]);
});

test('names that would collide get a hash', () => {
  const [plain, dotted, alone] = encoded('a_b', 'a.b', 'c.d');
  expect([plain, alone]).toEqual(['a_b', 'c_d']);
  expect(dotted).toMatch(/^a_b_[0-9a-z]{8}$/);
  const [dot, slash] = encoded('x.y', 'x/y');
  expect(dot).toMatch(/^x_y_[0-9a-z]{8}$/);
  expect(slash).toMatch(/^x_y_[0-9a-z]{8}$/);
  expect(dot).not.toBe(slash);
});

test('a name that is too long ends with a hash', () => {
  const [first, second] = encoded('n'.repeat(100), 'n'.repeat(101));
  expect(first).toMatch(/^n{55}_[0-9a-z]{8}$/);
  expect(second).toMatch(/^n{55}_[0-9a-z]{8}$/);
  expect(first).not.toBe(second);
});

test('forms do not depend on the order of names', () => {
  const names = ['x.y', 'x/y', 'a.b', 'n'.repeat(80)];
  expect(encoded(...names.toReversed())).toEqual(encoded(...names).toReversed());
});

test('every form leads back to its name, and other names to themselves', () => {
  const names = ['', ' ', 'a.b', 'a_b', '\u{1F600}', '__proto__', 'constructor', 'x'.repeat(65)];
  const { encode, decode } = createNameCodec(names);
  expect(names.map((name) => decode(encode(name)))).toEqual(names);
  expect(decode('unheard_of')).toBe('unheard_of');
});
