import { expect, test } from 'vitest';
import { hideTerminal, withoutTerminals } from './terminal-descriptors.ts';

test('our ends of terminals are replaced, and other descriptors are not', () => {
  expect(withoutTerminals(['ignore', 'pipe', 'pipe'])).toEqual(['ignore', 'pipe', 'pipe']);
  const unhide = [3, 6].map(hideTerminal);
  const [, , , third, fourth, fifth, sixth, ...rest] = withoutTerminals(['ignore', 'pipe', 'pipe', 'pipe']);
  expect([third, fourth, fifth, rest]).toEqual(['pipe', 'ignore', 'ignore', []]);
  expect(sixth).toEqual(expect.any(Number));
  expect(withoutTerminals(Array(9).fill('ignore'))).toEqual([
    ...['ignore', 'ignore', 'ignore', sixth, 'ignore', 'ignore', sixth, 'ignore', 'ignore'],
  ]);
  for (const take of unhide) take();
  expect(withoutTerminals(['ignore'])).toEqual(['ignore']);
});
