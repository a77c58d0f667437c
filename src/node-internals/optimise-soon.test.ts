import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { INTERRUPT_BUDGET } from './optimise-soon.ts';

/** Prints how many calls of a function V8 needs before it optimises the function. */
const PROGRAM = `
  if (process.argv[1]) require('node:v8').setFlagsFromString(process.argv[1]);
  const isOptimised = new Function('f', 'return (%GetOptimizationStatus(f) & 16) !== 0');
  const sum = (n) => { let total = 0; for (let i = 0; i < n; i++) total += i; return total; };
  let calls = 0;
  while (!isOptimised(sum) && calls < 1e6) { sum(20); calls++; }
  console.log(calls);
`;

function callsUntilOptimised(...flags: readonly string[]): number {
  // Compiling on another thread would make the number depend on how fast the machine is.
  const args = ['--allow-natives-syntax', '--no-concurrent-recompilation', '-e', PROGRAM, ...flags];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('V8 optimises a function after fewer calls', () => {
  const usual = callsUntilOptimised();
  expect(usual).toBeGreaterThan(100);
  expect(callsUntilOptimised(INTERRUPT_BUDGET)).toBeLessThan(usual / 2);
});
