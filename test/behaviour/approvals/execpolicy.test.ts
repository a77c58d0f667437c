import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../../../src/testing/index.ts';
import { startProgram } from '../../harness/start-program.ts';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.dispose());

async function check(...args: string[]) {
  // The harness of the other tests takes --json for JSON lines, which this is not.
  const program = await startProgram({
    command: fileURLToPath(new URL('../../../bin/oxbow', import.meta.url)),
    args: ['execpolicy', ...args],
    cwd: workspace.path,
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: workspace.home, OXBOW_HOME: workspace.home },
  });
  return program.wait();
}

const RULES = `
prefix_rule(pattern=["git"])
prefix_rule(pattern=["git", "push"], decision="prompt", justification="It reaches the server.")
prefix_rule(pattern=["git", "push", ["--force", "-f"]], decision="forbidden")
`;

const json = async (...args: string[]) => JSON.parse((await check('check', '--json', ...args)).stdout) as unknown;

test('the keys are those of Codex', async () => {
  const file = workspace.write('team.rules', RULES);
  expect(await json('--rules', file, '--', 'git', 'push', 'origin')).toEqual({
    matchedRules: [
      { prefixRuleMatch: { matchedPrefix: ['git'], decision: 'allow' } },
      {
        prefixRuleMatch: {
          matchedPrefix: ['git', 'push'],
          decision: 'prompt',
          justification: 'It reaches the server.',
        },
      },
    ],
    decision: 'prompt',
  });
  expect(await json('--rules', file, '--', 'git', 'push', '-f')).toMatchObject({ decision: 'forbidden' });
  expect(await json('--rules', file, '--', 'ls')).toEqual({ matchedRules: [] });
  expect(await json('-r', file, '--', '/opt/git', 'push', '--force')).toMatchObject({
    matchedRules: [
      { prefixRuleMatch: { matchedPrefix: ['git', 'push'], resolvedProgram: '/opt/git' } },
      { prefixRuleMatch: { decision: 'forbidden' } },
    ],
  });
});

test('a script is split into its commands', async () => {
  const file = workspace.write('team.rules', RULES);
  expect(await json('--rules', file, '--', 'bash', '-c', 'git status && git push -f')).toMatchObject({
    decision: 'forbidden',
  });
});

test('the output for people is lines', async () => {
  const file = workspace.write('team.rules', RULES);
  const { stdout, code } = await check('check', '--rules', file, '--', 'git', 'push', 'a b');
  expect({ stdout, code }).toEqual({
    stdout: 'allow  git\nprompt  git push: It reaches the server.\ndecision: prompt\n',
    code: 0,
  });
  expect((await check('check', '--rules', file, '--', 'ls')).stdout).toBe('No rule matches.\n');
});

test('without files, the rules of the folder apply', async () => {
  mkdirSync(join(workspace.home, 'rules'));
  writeFileSync(join(workspace.home, 'rules/a.rules'), RULES);
  workspace.write(
    '.codex/rules/b.rules',
    'prefix_rule(pattern=["ls"])\nprefix_rule(pattern=["dd"], decision="forbidden")',
  );
  expect(await json('--', 'git', 'push')).toMatchObject({ decision: 'prompt' });
  expect(await json('--', 'dd')).toMatchObject({ decision: 'forbidden' });
  const untrusted = await check('check', '--', 'ls');
  expect(untrusted.stdout).toBe('No rule matches.\n');
  expect(untrusted.stderr).toContain('because the project is not trusted');
  workspace.configure(`[projects."${workspace.path}"]\ntrust_level = "trusted"`);
  expect(await json('--', 'ls')).toMatchObject({ decision: 'allow' });
});

test('mistakes are reported in one sentence', async () => {
  const broken = workspace.write('broken.rules', 'prefix_rule(\n  pattern=5)');
  const rows: [string[], number, string][] = [
    [['check', '--rules', broken, '--', 'ls'], 1, `oxbow: ${broken}:2: unexpected "5".`],
    [['check', '--rules', '/nowhere.rules', '--', 'ls'], 1, 'oxbow: There is no file /nowhere.rules with rules.\n'],
    [['check'], 2, 'oxbow: Name a command'],
    [['run', '--', 'ls'], 2, 'oxbow: Name a command'],
    [['check', '--odd', '--', 'ls'], 2, "oxbow: Unknown option '--odd'. See oxbow execpolicy --help."],
  ];
  for (const [args, code, message] of rows) {
    const result = await check(...args);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr.startsWith(message), result.stderr).toBe(true);
  }
});

test('the help has an example', async () => {
  const { code, stdout } = await check('--help');
  expect(code).toBe(0);
  expect(stdout).toContain('Example:\n  oxbow execpolicy check');
});
