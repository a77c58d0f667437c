import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runtimeFault } from './runtime-fault.ts';

test.each(['20.19.0', '20.20.2', '22.0.0', '24.21.0', '100.0.0'])('Node %s runs the agent', (node) => {
  expect(runtimeFault({ node })).toBeUndefined();
});

test.each(['18.20.8', '20.9.0', '20.18.3'])('Node %s is too old', (node) => {
  expect(runtimeFault({ node })).toBe(`Oxbow needs Node 20.19 or newer, and this is Node ${node}.`);
});

test('Bun and Deno do not run the agent, although they claim to be Node', () => {
  const start = 'Start the program with node.';
  expect(runtimeFault({ node: '26.3.0', bun: '1.4.4' })).toBe(
    `Oxbow needs Node 20.19 or newer, and this is Bun 1.4.4. ${start}`,
  );
  expect(runtimeFault({ node: '24.2.0', deno: '2.9.6' })).toBe(
    `Oxbow needs Node 20.19 or newer, and this is Deno 2.9.6. ${start}`,
  );
});

test('the manifest names the same release', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(runtimeFault({ node: '20.18.9' })).toContain(engines.node.replace('>=', 'Node '));
});
