import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

test('bash completes commands, their options and words, and folders', async () => {
  const { workspace } = await scene([]);
  const { stdout: script } = await runOxbow(['completion', 'bash'], { workspace });
  mkdirSync(workspace.file('a folder'));
  workspace.write('a file', '');
  const complete = (...words: string[]) => {
    const code = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _oxbow; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const shell = spawnSync('bash', ['--norc', '-c', code, 'bash', 'oxbow', ...words], {
      cwd: workspace.path,
      encoding: 'utf8',
    });
    expect(shell.stderr).toBe('');
    return shell.stdout.trimEnd().split('\n');
  };
  expect(complete('')).toEqual(expect.arrayContaining(['exec', 'demo', 'completion', '--help', '--version']));
  expect(complete('de')).toEqual(['demo']);
  expect(complete('demo', '--k')).toEqual(['--keep']);
  expect(complete('exec', '--max')).toEqual(['--max-requests', '--max-tokens', '--max-cost']);
  expect(complete('exec', '--cd', 'a')).toEqual(['a folder']);
  expect(complete('exec', '-o', 'a').sort()).toEqual(['a file', 'a folder']);
  expect(complete('exec', '--model', '')).toEqual(['']);
  expect(complete('exec', '-s', '')).toEqual(['read-only', 'workspace-write', 'danger-full-access']);
  expect(complete('exec', '--color', 'a')).toEqual(['auto', 'always']);
  expect(complete('exec', 're')).toEqual(['resume', 'review']);
  expect(complete('config', 's')).toEqual(['set']);
  expect(complete('threads', 'sh')).toEqual(['show']);
  expect(complete('completion', '')).toEqual(['bash', 'zsh', 'fish', '--help']);
  expect(complete('unknown', '')).toEqual(['']);
});

test.each(['zsh', 'fish'])('%s gets every command', async (shell) => {
  const { workspace } = await scene([]);
  const { stdout, code } = await runOxbow(['completion', shell], { workspace });
  expect(code).toBe(0);
  for (const text of ['exec', 'Run one turn', 'max-requests', 'completion', 'auto always never', 'resume'])
    expect(stdout).toContain(text);
});

test('a shell must be named, and be one that is known', async () => {
  const { workspace } = await scene([]);
  for (const args of [[], ['tcsh'], ['bash', 'zsh']]) {
    const result = await runOxbow(['completion', ...args], { workspace });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('Name one shell: oxbow completion bash, zsh or fish.');
  }
});
