import { type TestContext, test } from 'vitest';
import { isFull } from './runs.ts';

type Test = (name: string, run: (context: TestContext) => unknown, timeout?: number) => void;

/**
 * Returns a function that defines the tests of one column of a table whose columns have the same tests. Where not every
 * sample is wanted, it defines every second test: each test then has half of the columns, and each column half of the
 * tests. `column` counts from 0; the places of a table with several headings are added up. A machine on which the table
 * has only one of its columns has all tests of that one.
 */
export function testInTurn(column: number, columns = 2): Test {
  let row = 0;
  const isWhole = isFull() || columns === 1;
  return (name, run, timeout) => {
    if (isWhole || (row++ + column) % 2 === 0) test(name, run, timeout);
  };
}
