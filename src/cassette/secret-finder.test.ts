import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSecretFinder } from './secret-finder.ts';

const KEY = 'abc/def"ghi\\jkl';

describe('a value that is secret', () => {
  test.each([
    ['as it is', KEY],
    ['in JSON', JSON.stringify({ key: KEY })],
    ['in JSON with escaped slashes', JSON.stringify({ key: KEY }).replaceAll('/', '\\/')],
    ['in the arguments of a call', JSON.stringify({ arguments: JSON.stringify({ key: KEY }) })],
    ['in a URL', `https://host/?q=${encodeURIComponent(KEY)}`],
  ])('is found %s', (_, text) => {
    const redacted = createSecretFinder([KEY]).redact(text);
    expect(redacted).toContain('[redacted]');
    expect(redacted).not.toMatch(/abc|ghi|jkl/);
  });

  test('is found everywhere, even where it overlaps itself or another', () => {
    const finder = createSecretFinder(['abababab', 'babXYZ1234']);
    expect(finder.redact('- abababababab -')).toBe('- [redacted] -');
    expect(finder.redact('- abababababXYZ1234 -')).toBe('- [redacted] -');
    expect(finder.redact('abababab|abababab')).toBe('[redacted]|[redacted]');
  });

  test('is ignored if it is too short to be a secret', () => {
    expect(createSecretFinder(['local', '']).redact('a local model')).toBe('a local model');
  });

  test('leaves the JSON around it valid, even after an escape sequence', () => {
    const finder = createSecretFinder(['newsecretvalue', 'endsinbackslash\\']);
    expect(JSON.parse(finder.redact(JSON.stringify('line\newsecretvalue')))).toBe('line[redacted]');
    expect(JSON.parse(finder.redact(JSON.stringify('it endsinbackslash\nnext')))).toBe('it [redacted]next');
  });
});

describe('a shape of keys', () => {
  const key = `sk-${'a1B2'.repeat(6)}`;
  const finder = createSecretFinder([]);

  test.each([
    key,
    `sk-proj-${'x_-9'.repeat(10)}`,
    `sk_live_${'a1B2'.repeat(6)}`,
    `ghp_${'a1B2'.repeat(9)}`,
    `github_pat_${'a1B2'.repeat(9)}`,
    `xoxb-${'123-'.repeat(9)}`,
    `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`,
  ])('%s is found', (shaped) => {
    expect(finder.redact(`key=${shaped} ok`)).toBe('key=[redacted] ok');
    expect(finder.redact(JSON.stringify(`the key:\n${shaped}\n`))).toBe('"the key:\\n[redacted]\\n"');
    expect(finder.redact(`\\u003c${shaped}\\u003e`)).toBe('\\u003c[redacted]\\u003e');
    expect(finder.redact(`?q=%20${shaped}`)).toBe('?q=%20[redacted]');
  });

  test('a token after its scheme is found', () => {
    expect(finder.redact("curl -H 'Authorization: Bearer abcdefghijklmnop1234='")).toBe(
      "curl -H 'Authorization: Bearer [redacted]'",
    );
  });

  test.each([
    'task-management-is-hard-work',
    'sk-short',
    'pk_customers_by_name_and_city',
    'the bearer of bad news',
    'eyJhbGciOi',
  ])('%s is not a key', (text) => expect(finder.redact(text)).toBe(text));
});

test('no secret is left, and all other text stays', () => {
  const word = fc
    .string({ unit: fc.constantFrom('a', 'b', '"', '\\', '/', 'é', '1'), minLength: 8, maxLength: 12 })
    .filter((secret) => !secret.endsWith('\\'));
  const plain = fc.string({ unit: fc.constantFrom('x', 'y', ' ', '\n') });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 3 }), fc.array(plain), (secrets, texts) => {
      const finder = createSecretFinder(secrets);
      const text = texts.flatMap((part, index) => [part, secrets[index % Math.max(secrets.length, 1)] ?? '']).join('');
      const redacted = finder.redact(text);
      for (const secret of secrets) expect(redacted).not.toContain(secret);
      expect(redacted.replace(/[^xy \n]/g, '')).toBe(texts.join(''));
    }),
  );
});
