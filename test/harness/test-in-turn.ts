import { type TestContext, test } from 'vitest';
import { isFull } from './runs.ts';

type Test = (name: string, run: (context: TestContext) => unknown, timeout?: number) => void;

/**
 * Returns a function that defines the tests of one column of a table whose columns have the same tests. Where not every
 * sample is wanted, it defines every second test: each test then has half of the columns, and each column half of the
 * tests. `column` counts from 0; the places of a table with several headings are added up.
 */
export function testInTurn(column: number): Test {
  let row = 0;
  return (name, run, timeout) => {
    if (isFull() || (row++ + column) % 2 === 0) test(name, run, timeout);
  };
}
