import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { V8_FLAGS } from './tune-v8.ts';

/** Prints how many calls of a function V8 needs before its best compiler has optimised the function. */
const PROGRAM = `
  for (const flag of process.argv.slice(1)) require('node:v8').setFlagsFromString(flag);
  const isOptimised = new Function('f', 'return (%GetOptimizationStatus(f) & 64) !== 0');
  const sum = (n) => { let total = 0; for (let i = 0; i < n; i++) total += i; return total; };
  let calls = 0;
  while (!isOptimised(sum) && calls < 1e6) { sum(20); calls++; }
  console.log(calls);
`;

function callsUntilOptimised(...flags: readonly string[]): number {
  // Compiling on another thread would make the number depend on how fast the machine is.
  const args = ['--allow-natives-syntax', '--no-concurrent-recompilation', '-e', PROGRAM, '--', ...flags];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test.runIf(V8_FLAGS.length > 0)('V8 optimises a function after fewer calls', () => {
  const usual = callsUntilOptimised();
  expect(usual).toBeGreaterThan(100);
  expect(callsUntilOptimised(...V8_FLAGS)).toBeLessThan(usual / 2);
});

test('V8 knows every flag', () => {
  const { stderr } = spawnSync(process.execPath, [...V8_FLAGS, '-e', ''], { encoding: 'utf8' });
  expect(stderr).toBe('');
});
