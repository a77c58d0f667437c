import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { call, customCall, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';
import { type ProgramResult, startProgram } from '../../harness/start-program.ts';
import { BACKENDS } from './backends.ts';

/** The workspace and the home lie below /tmp. */
const CONFIG = { sandbox_mode: 'workspace-write', sandbox_workspace_write: { exclude_slash_tmp: true } };
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BIN = 'node_modules/.bin';

/** Programs of the workspace, as a command of the model could write them. Each leaves a trace outside. */
function plant(s: Scene, ...names: string[]): { readonly PATH: string; ran(name: string): boolean } {
  const folder = join(s.workspace.path, BIN);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(s.workspace.home, '.profile'), `PATH='${folder}':"$PATH"\n`);
  for (const name of names) {
    writeFileSync(join(folder, name), `#!/bin/sh\ntouch '${s.workspace.home}/${name}-ran'\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return {
    PATH: [folder, dirname(process.execPath), process.env.PATH ?? ''].join(':'),
    ran: (name) => existsSync(join(s.workspace.home, `${name}-ran`)),
  };
}

function commit(s: Scene): void {
  const git = (...args: string[]) => execFileSync('git', ['-C', s.workspace.path, ...args], { stdio: 'ignore' });
  git('init', '--quiet');
  git('-c', 'user.name=n', '-c', 'user.email=e', 'commit', '--quiet', '--allow-empty', '-m', 'First');
}

function allow(s: Scene, word: string): void {
  mkdirSync(join(s.workspace.home, 'rules'));
  const rule = `prefix_rule(pattern=[${JSON.stringify(word)}], decision="allow")\n`;
  writeFileSync(join(s.workspace.home, 'rules/default.rules'), rule);
}

const exec = (s: Scene, PATH: string, wrap: readonly string[], ...args: string[]): Promise<ProgramResult> =>
  runOxbow(['exec', ...args, 'go'], { ...s, env: { PATH }, wrap, config: CONFIG });

describe.each(BACKENDS)('a program that a command put on PATH, under %s,', (_, wrap) => {
  test('is not run where a patch deletes a file', async () => {
    const patch = '*** Begin Patch\n*** Delete File: old.txt\n*** End Patch';
    const s = await scene([reply(customCall('apply_patch', patch)), reply(say('done'))], { 'old.txt': 'old\n' });
    const { PATH, ran } = plant(s, 'git', 'mkfifo', 'perl', 'bwrap', 'env', 'sh');
    const result = await exec(s, PATH, wrap);
    expect(result.code).toBe(0);
    expect(existsSync(join(s.workspace.path, 'old.txt'))).toBe(false);
    expect(ran('git')).toBe(false);
  });

  test('is not run by a review or for a worktree', async () => {
    const s = await scene([reply(say('{}')), reply(say('done'))], { 'a.txt': 'a\n' });
    commit(s);
    const { PATH, ran } = plant(s, 'git', 'perl', 'bwrap');
    const options = { ...s, env: { PATH }, wrap, config: CONFIG };
    expect((await runOxbow(['exec', 'review', '--uncommitted'], options)).code).toBe(0);
    expect(await runOxbow(['exec', '--worktree', 'go'], options)).toMatchObject({ code: 0, stdout: 'done\n' });
    for (const name of ['git', 'perl', 'bwrap']) expect([name, ran(name)]).toEqual([name, false]);
  });

  test('is not run by doctor', async () => {
    const s = await scene([]);
    const { PATH, ran } = plant(s, 'git', 'perl', 'bwrap');
    const { stdout } = await runOxbow(['doctor'], { ...s, env: { PATH }, wrap, config: CONFIG });
    expect(stdout).toMatch(/git version \d/);
    for (const name of ['git', 'perl', 'bwrap']) expect([name, ran(name)]).toEqual([name, false]);
  });

  test('is not run outside the sandbox by a rule that allows its name', async () => {
    const s = await scene([
      reply(call('exec_command', { cmd: 'rg x' })),
      reply(call('shell', { command: ['rg', 'x'] })),
      reply(say('done')),
    ]);
    allow(s, 'rg');
    const { PATH, ran } = plant(s, 'rg');
    const { stderr } = await exec(s, PATH, wrap);
    expect(ran('rg')).toBe(false);
    expect(stderr).toContain(`A rule allows rg, but commands can write to ${join(s.workspace.path, BIN)}`);
  });

  test('is not run outside the sandbox as the command for searches', async () => {
    const s = await scene([reply(call('web_search', { query: 'x' })), reply(say('done'))]);
    const { PATH, ran } = plant(s, 'find-on-web');
    const config = { ...CONFIG, tools: { web_search: { command: ['find-on-web', '{query}'] } } };
    await runOxbow(['exec', 'go'], { ...s, env: { PATH }, wrap, config });
    expect([...s.outputs(1).values()].join()).toContain('commands can write to');
    expect(ran('find-on-web')).toBe(false);
  });
});

describe.each(BACKENDS)('a rule under %s', (_, wrap) => {
  test.each([
    ['with the name of a program of the system counts', 'touch', '', true],
    ['with a path of the system counts', '/usr/bin/touch', '', true],
    ['with a name that PATH has in the workspace only later counts', 'touch', `:./${BIN}`, true],
    ['with a path in the workspace does not count', `WORKSPACE/${BIN}/touch`, '', false],
    ['with a path that leads through the workspace does not count', 'WORKSPACE/../link/touch', '', false],
    ['with a relative path does not count', `./${BIN}/touch`, '', false],
    ['with a relative path to a program of the system does not count', '../../../usr/bin/touch', '', false],
  ])('%s', async (__, word, more, counts) => {
    let cmd = '';
    const s = await scene((_request, n) => (n === 1 ? reply(call('exec_command', { cmd })) : reply(say('done'))));
    const program = word.replace('WORKSPACE', s.workspace.path);
    cmd = `${program} ../home/made`;
    mkdirSync(join(s.workspace.path, BIN), { recursive: true });
    symlinkSync('/usr/bin/touch', join(s.workspace.path, BIN, 'touch'));
    symlinkSync(join(s.workspace.path, BIN), join(s.workspace.path, '../link'));
    allow(s, program);
    await exec(s, `/usr/bin:/bin${more}:${dirname(process.execPath)}`, wrap);
    expect(existsSync(join(s.workspace.home, 'made'))).toBe(counts);
  });
});

test('Oxbow warns where it lies in a folder that commands can write to', async () => {
  const once = [reply(call('exec_command', { cmd: 'true' })), reply(say('done'))];
  const s = await scene([...once, ...once]);
  const folder = join(s.workspace.path, 'node_modules/oxbow');
  for (const part of ['bin', 'dist/program', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  s.workspace.configure(scriptedConfig(s.model.url, CONFIG));
  const run = async (...flags: string[]) => {
    const env = { PATH: '/usr/bin:/bin', HOME: s.workspace.home, OXBOW_HOME: s.workspace.home, SCRIPTED_KEY: 'x' };
    const args = [join(folder, 'bin/oxbow'), 'exec', ...flags, 'go'];
    return (await startProgram({ command: process.execPath, args, cwd: s.workspace.path, env })).wait();
  };
  expect((await run()).stderr).toContain('Commands can change Oxbow itself');
  expect((await run('--sandbox', 'read-only')).stderr).not.toContain('Commands can change');
});
