import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../../src/testing/index.ts';
import { type ProgramResult, startProgram } from './start-program.ts';

let workspace: TempWorkspace | undefined;

afterEach(() => workspace?.dispose());

/** Runs vitest on one file of tests, with the reporter. */
async function runVitest(code: string, env: Record<string, string> = {}): Promise<ProgramResult> {
  workspace = createWorkspace({ 'some.test.js': code });
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
  const reporter = fileURLToPath(new URL('./summary-reporter.ts', import.meta.url));
  const program = await startProgram({
    command: process.execPath,
    args: [vitest, 'run', '--globals', '--root', workspace.path, '--reporter', reporter],
    cwd: workspace.path,
    env: { PATH: process.env.PATH ?? '', HOME: workspace.home, ...env },
  });
  return program.wait();
}

const SKIPS = `
  test('runs', () => {});
  describe('on another system', () => {
    test.skip('is left out', () => {});
    test('finds out late', ({ skip }) => skip('no such program'));
  });
`;

const SKIPPED_LINES = [
  'skipped: some.test.js > on another system > is left out',
  'skipped: some.test.js > on another system > finds out late (no such program)',
];

test('names each skipped test and counts', async () => {
  const { code, stdout } = await runVitest(SKIPS);
  expect(stdout.trimEnd().split('\n')).toEqual([...SKIPPED_LINES, '1 passed, 0 failed, 2 skipped']);
  expect(code).toBe(0);
});

test('fails a run that must not skip', async () => {
  const { code, stdout } = await runVitest(SKIPS, { OXBOW_TEST_ALL: '1' });
  expect(stdout.trimEnd().split('\n')).toEqual([
    ...SKIPPED_LINES,
    'OXBOW_TEST_ALL=1 allows no skipped test: the run has failed because of 2.',
    '1 passed, 0 failed, 2 skipped',
  ]);
  expect(code).toBe(1);
});

test('a run that skips nothing passes when it must not skip', async () => {
  const { code, stdout } = await runVitest(`test('runs', () => {});`, { OXBOW_TEST_ALL: '1' });
  expect(stdout).toBe('1 passed, 0 failed, 0 skipped\n');
  expect(code).toBe(0);
});

test('counts failures, and a file that does not load as one', async () => {
  const failing = await runVitest(`test('fails', () => { throw new Error('no'); }); test('runs', () => {});`);
  expect(failing.stdout).toBe('1 passed, 1 failed, 0 skipped\n');
  expect(failing.code).toBe(1);
  workspace?.dispose();

  const broken = await runVitest(`throw new Error('no');`);
  expect(broken.stdout).toBe('0 passed, 1 failed, 0 skipped\n');
  expect(broken.code).toBe(1);
});
