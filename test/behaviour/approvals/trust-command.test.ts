import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { neverAborted, openScript, testEnvironment, until } from '../../../src/exec/environment/test-environment.ts';
import { createWorkspace, type TempWorkspace } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace({ 'sub/file': '' });
});
afterEach(() => workspace.dispose());

const PROGRAM = fileURLToPath(new URL('../../../bin/oxbow', import.meta.url));
const trust = (...args: string[]) => runOxbow(['trust', ...args], { workspace });
const userFile = () => join(workspace.home, 'config.toml');
const entry = () => `[projects."${workspace.path}"]\ntrust_level = "trusted"\n`;

test('a project becomes trusted by an entry at the end of config.toml, which is left as it was before it', async () => {
  const mine = '# mine\nmodel   =  "m"   # odd\r\n\n[profiles.p]\nmodel="x"';
  writeFileSync(userFile(), mine);
  const first = await trust('--yes', 'sub');
  expect(first).toMatchObject({
    code: 0,
    stdout: `${workspace.path} is not trusted yet. It has no settings and no rules.\nAccepted.\n`,
  });
  expect(readFileSync(userFile(), 'utf8')).toBe(`${mine}\n\n${entry()}`);
  expect(await trust()).toMatchObject({
    code: 0,
    stdout: `${workspace.path} is trusted. Its settings and rules are as you accepted them.\n`,
  });
  expect(readFileSync(userFile(), 'utf8')).toBe(`${mine}\n\n${entry()}`);
});

test('the difference is shown with every character that a person cannot see', async () => {
  workspace.configure(entry());
  workspace.write('.oxbow/rules/a.rules', '# one\n# two\n');
  expect((await trust('--yes')).stdout).toContain('+++ b/.oxbow/rules/a.rules\n@@ -0,0 +1,2 @@\n+# one\n+# two\n');
  workspace.write('.oxbow/rules/a.rules', '# one\n# \u202etwo\u200b\u001b[2K\n');
  workspace.write('.codex/config.toml', 'model = "m"\n');
  const { stdout } = await trust('--yes');
  expect(stdout).toContain(' # one\n-# two\n+# \\u{202E}two\\u{200B}\\u{1B}[2K\n');
  expect(stdout).toContain('+model = "m"\n');
});

test('--json shows and asks nothing, and with --yes accepts', async () => {
  workspace.configure(entry());
  workspace.write('.oxbow/config.toml', 'model = "m"\n');
  const json = async (...args: string[]) => {
    const { stdout, code } = await trust('--json', ...args);
    return { code, ...(JSON.parse(stdout) as object) };
  };
  const files = [{ path: '.oxbow/config.toml', status: 'new', diff: expect.stringContaining('+model = "m"\n') }];
  const report = { root: workspace.path, trusted: true, unreadable: [], files };
  expect(await json()).toEqual({ code: 1, ...report, accepted: false });
  expect(existsSync(join(workspace.home, 'trust'))).toBe(false);
  expect(await json('--yes')).toEqual({ code: 0, ...report, accepted: true });
  expect(await json()).toEqual({ code: 0, ...report, files: [], accepted: true });
});

test('mistakes are reported in one sentence, and nothing is accepted', async () => {
  const rows: [string[], number, string][] = [
    [[], 2, 'oxbow: oxbow trust asks before it accepts. Pass --yes when no one can answer.\n'],
    [['a', 'b'], 2, 'oxbow: oxbow trust takes one folder, not 2.'],
    [['/nowhere'], 1, 'oxbow: /nowhere is not a folder.\n'],
    [['--odd'], 2, "oxbow: Unknown option '--odd'. See oxbow trust --help."],
  ];
  for (const [args, code, message] of rows) {
    const result = await trust(...args);
    expect(result.code).toBe(code);
    expect(result.stderr.startsWith(message), result.stderr).toBe(true);
  }
  for (const text of [entry().replace('"trusted"', '"untrusted"'), 'projects = {}\n']) {
    workspace.configure(text);
    const { code, stderr } = await trust('--yes');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /as untrusted\. Remove that entry first\.|cannot be extended at its end\. Write into it: \[projects\./,
    );
    expect(readFileSync(userFile(), 'utf8')).toBe(text);
  }
});

test('the help has an example and the exit codes', async () => {
  const { code, stdout } = await trust('--help');
  expect(code).toBe(0);
  expect(stdout).toContain('Example:\n  oxbow trust ~/site');
  expect(stdout).toContain('Exit codes:');
});

describe.skipIf(process.platform !== 'linux')('on a terminal', () => {
  test.each([
    ['n\r', 1],
    ['\u0004', 1],
    ['y\r', 0],
  ])('it asks, and the answer %j exits with %i', async (answer, code) => {
    workspace.write('.oxbow/rules/a.rules', '# one\n');
    const baseEnv = { PATH: process.env.PATH ?? '', HOME: workspace.home, OXBOW_HOME: workspace.home };
    const environment = testEnvironment({ baseEnv });
    try {
      const { terminal } = await openScript(environment, `${PROGRAM} trust`, { cwd: workspace.path, tty: true });
      expect(await until(terminal, '[y/N] ')).toContain('+# one');
      await terminal.write(answer);
      let exitCode: number | null = null;
      while (exitCode === null) ({ exitCode } = await terminal.collect(1000, neverAborted));
      expect(exitCode).toBe(code);
      expect(existsSync(userFile())).toBe(code === 0);
      expect(existsSync(join(workspace.home, 'trust')) ? readdirSync(join(workspace.home, 'trust')) : []).toHaveLength(
        1 - code,
      );
    } finally {
      await environment.close();
    }
  });
});
