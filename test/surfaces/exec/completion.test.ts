import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reply, say, type TempWorkspace } from '../../../src/testing/index.ts';
import { cleanEnvironment, PROGRAM, runOxbow } from '../../harness/run-oxbow.ts';
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
  expect(complete('mcp', 'lo')).toEqual(['login', 'logout']);
  expect(complete('mcp', 'login', '--no')).toEqual(['--no-browser']);
  expect(complete('unknown', '')).toEqual(['']);
});

const CONFIG = `
model = "qwen3:8b"
review_model = "careful"
profiles.fast.model = "small/model"
profiles.slow.model = "careful"
`;

/** Puts `oxbow` on the PATH of the shells. Returns the environment. */
function shellEnvironment(workspace: TempWorkspace): Record<string, string> {
  const env = cleanEnvironment(workspace);
  mkdirSync(workspace.file('bin'));
  symlinkSync(PROGRAM, workspace.file('bin/oxbow'));
  return { ...env, PATH: `${workspace.file('bin')}:${env.PATH}`, TERM: 'dumb' };
}

test('bash completes threads by id and name, profiles and models', async () => {
  const s = await scene([reply(say('one'))]);
  const { events } = await runOxbow(['exec', '--json', '--skip-git-repo-check', 'first task'], s);
  const id = String(events.flatMap((event) => ('thread_id' in event ? [event.thread_id] : []))[0]);
  await runOxbow(['threads', 'rename', id, 'the old barn'], s);
  s.workspace.configure(CONFIG);
  const env = shellEnvironment(s.workspace);
  const { stdout: script } = await runOxbow(['completion', 'bash'], { workspace: s.workspace });
  const complete = (...words: string[]) => {
    const code = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _oxbow; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const options = { cwd: s.workspace.path, encoding: 'utf8', env } as const;
    const shell = spawnSync('bash', ['--norc', '-c', code, 'bash', 'oxbow', ...words], options);
    expect(shell.stderr).toBe('');
    return shell.stdout.trimEnd().split('\n');
  };
  expect(complete('exec', 'resume', '')).toEqual(['the\\ old\\ barn', id]);
  expect(complete('exec', 'fork', id.slice(0, 4))).toEqual([id]);
  expect(complete('exec', 'resume', '--la')).toEqual(['--last']);
  expect(complete('threads', 'show', '"the')).toEqual(['the old barn']);
  expect(complete('threads', 'show', 'the\\ o')).toEqual(['the\\ old\\ barn']);
  expect(complete('usage', 'the')).toEqual(['the\\ old\\ barn']);
  expect(complete('threads', 'unarchive', '')).toEqual(['']);
  expect(complete('exec', '-p', '')).toEqual(['fast', 'slow']);
  expect(complete('config', '--profile', 's')).toEqual(['slow']);
  expect(complete('exec', '-m', '')).toEqual(['qwen3:8b', 'careful', 'small/model']);
  expect(complete('exec', '-m', 'qwen3', ':', '8')).toEqual(['8b']);
  expect(complete('exec', '-m', 'qwen3', ':')).toEqual(['8b']);
  await runOxbow(['threads', 'archive', id], { workspace: s.workspace });
  expect(complete('threads', 'unarchive', 'the')).toEqual(['the\\ old\\ barn']);
  s.workspace.configure('profiles = [');
  expect(complete('exec', '-p', '')).toEqual(['']);
});

test.skipIf(spawnSync('zsh', ['-c', '']).error)('zsh accepts its script', async () => {
  const { workspace } = await scene([]);
  const { stdout } = await runOxbow(['completion', 'zsh'], { workspace });
  const shell = spawnSync('zsh', ['-f', '-n'], { input: stdout, encoding: 'utf8' });
  expect([shell.status, shell.stderr]).toEqual([0, '']);
});

test.skipIf(spawnSync('fish', ['-c', '']).error)('fish completes commands, profiles and models', async () => {
  const { workspace } = await scene([]);
  workspace.configure(CONFIG);
  const { stdout } = await runOxbow(['completion', 'fish'], { workspace });
  workspace.write('oxbow.fish', stdout);
  const env = shellEnvironment(workspace);
  const complete = (line: string) => {
    const code = `source oxbow.fish; complete -C '${line}'`;
    const shell = spawnSync('fish', ['--no-config', '-c', code], { cwd: workspace.path, encoding: 'utf8', env });
    expect(shell.stderr).toBe('');
    return shell.stdout.trimEnd().split('\n');
  };
  expect(complete('oxbow de')).toEqual(['demo\tShow a turn without a key or network']);
  expect(complete('oxbow exec -p ')).toEqual(['fast\tprofile', 'slow\tprofile']);
  expect(complete('oxbow exec -m qwen3:')).toEqual(['qwen3:8b\tmodel']);
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
