import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CommandAction } from '../../base/action.ts';
import { endingEnvironment } from '../test-environment.ts';
import { type OutputForm, runToEnd, timeLimit } from './run-to-end.ts';

const action = (ms?: number): CommandAction => ({
  kind: 'command',
  argv: ['x'],
  cwd: '/project',
  login: true,
  escalate: false,
  ...timeLimit(ms),
});

async function run(
  form: OutputForm,
  collected: { text: string; exitCode: number | null; waitedMs: number },
  bytes?: number,
) {
  const { environment, killed } = endingEnvironment(collected, bytes);
  return { ...(await runToEnd(action(300), environment, form)), killed };
}

test('the result of a command as JSON', async () => {
  expect(await run('json', { text: 'hi\n', exitCode: 3, waitedMs: 1234 })).toEqual({
    output: '{"output":"hi\\n","metadata":{"exit_code":3,"duration_seconds":1.2}}',
    success: false,
    killed: [],
  });
});

test('the result of a command as text', async () => {
  expect(await run('text', { text: 'hi\n', exitCode: 0, waitedMs: 20 })).toEqual({
    output: 'Exit code: 0\nWall time: 0 seconds\nOutput:\nhi\n',
    success: true,
    killed: [],
  });
});

test('text that is cut says how many lines there were', async () => {
  const { output } = await run('text', { text: 'line\n'.repeat(100), exitCode: 0, waitedMs: 150 }, 20);
  expect(output).toBe(
    'Exit code: 0\nWall time: 0.2 seconds\nTotal output lines: 100\nOutput:\nline\nline\n…480 chars truncated…line\nline\n',
  );
});

test('JSON stays valid and within bounds, whatever the text contains', async () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '"', '\n', '\u0001', 'ü', '\ud800'), maxLength: 3000 });
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 100, max: 2000 }), async (text, bytes) => {
      const { output } = await run('json', { text, exitCode: 0, waitedMs: 0 }, bytes);
      const answer = JSON.parse(String(output)) as { output: string };
      expect(Buffer.byteLength(String(output))).toBeLessThan(bytes + 70);
      if (answer.output !== text) expect(answer.output).toContain('truncated');
    }),
  );
});

test.each([
  [
    'json',
    '{"output":"command timed out after 300 milliseconds\\nhalf","metadata":{"exit_code":124,"duration_seconds":0.3}}',
  ],
  ['text', 'Exit code: 124\nWall time: 0.3 seconds\nOutput:\ncommand timed out after 300 milliseconds\nhalf'],
] as const)('a command that takes too long is killed and told of in %s', async (form, output) => {
  const result = await run(form, { text: 'half', exitCode: null, waitedMs: 300 });
  expect(result).toEqual({ output, success: false, failure: 'timeout', killed: [1000] });
});

test.each([
  [undefined, 10_000],
  [0, 10_000],
  [-5, 10_000],
  [Number.NaN, 10_000],
  [500, 500],
  [1e12, 2_147_483_647],
])('a timeout of %s is %s ms', (given, expected) => {
  expect(timeLimit(given)).toEqual({ yieldMs: expected, timeoutMs: expected });
});
