import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

test.each([
  ['modle', 'model'],
  ['mode', 'model'],
  ['modell', 'model'],
  ['sandbox_mdoe', 'sandbox_mode'],
  ['sandboxmode', 'sandbox_mode'],
  ['abc', undefined],
  ['', undefined],
])('%j is nearest to %j', (name, nearest) => {
  expect(nearestName(name, ['model', 'sandbox_mode', 'profile'])).toBe(nearest);
});

test('the nearer of two names is returned', () => {
  expect(nearestName('model_provide', ['model_providers', 'model_provider'])).toBe('model_provider');
});

test('a name with one mistake is found again', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdef_'), minLength: 4, maxLength: 30 });
  const mistake = fc.constantFrom('drop', 'add', 'change', 'swap');
  fc.assert(
    fc.property(word, mistake, fc.nat(), (name, kind, seed) => {
      const at = seed % (name.length - 1);
      const [before, one, other, after] = [name.slice(0, at), name[at], name[at + 1], name.slice(at + 2)];
      const wrong = {
        drop: `${before}${other}${after}`,
        add: `${before}x${one}${other}${after}`,
        change: `${before}x${other}${after}`,
        swap: `${before}${other}${one}${after}`,
      }[kind];
      expect(nearestName(wrong, ['zzzzzzzzzzzzz', name])).toBe(name);
    }),
  );
});
