import { expect, test } from 'vitest';
import { hideTerminal, withoutTerminals } from './terminal-descriptors.ts';

test('a process gets something else in the place of our ends of terminals, and what it is meant to get', () => {
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
