import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, 'check.mjs');

test('without Claude Code the check reports that it is skipped, and why', async () => {
  const env = { ...process.env, OXBOW_CLAUDE: join(import.meta.dirname, 'nowhere') };
  const { stdout } = await run(process.execPath, [SCRIPT], { env });
  expect(stdout).toMatch(/^skipped: there is no .*nowhere that could be started\. Set OXBOW_CLAUDE to the program/);
});

// Most machines do not have Claude Code, and it is not what is tested. Without it no test counts as skipped.
if (process.env.OXBOW_CLAUDE) {
  test('Claude Code works through the gateway, whatever the server gets wrong', { timeout: 300_000 }, async () => {
    const { stdout } = await run(process.execPath, [SCRIPT]);
    const [version, ...lines] = stdout.trimEnd().split('\n');
    expect(version).toContain('Claude Code');
    expect(lines.filter((line) => !line.startsWith('passed'))).toEqual([]);
    expect(lines).toHaveLength(21);
  });
}
