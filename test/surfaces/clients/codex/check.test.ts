import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { testThreadsWith } from './threads.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, 'check.mjs');

test('without Codex the check reports that it is skipped, and why', async () => {
  const env = { ...process.env, OXBOW_CODEX: join(import.meta.dirname, 'nowhere') };
  const { stdout } = await run(process.execPath, [SCRIPT], { env });
  expect(stdout).toMatch(/^skipped: there is no .*nowhere that could be started\. Set OXBOW_CODEX to the program/);
});

// Most machines do not have Codex, and it is not what is tested. Without it no test counts as skipped.
if (process.env.OXBOW_CODEX) {
  testThreadsWith(process.env.OXBOW_CODEX);

  test('Codex works through the gateway, whatever the server gets wrong', { timeout: 300_000 }, async () => {
    const { stdout } = await run(process.execPath, [SCRIPT]);
    const [version, ...lines] = stdout.trimEnd().split('\n');
    expect(version).toMatch(/^codex/);
    expect(lines.filter((line) => !line.startsWith('passed'))).toEqual([]);
    expect(lines).toHaveLength(11);
  });
}
