import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SandboxPolicy } from '../../../src/base/policy.ts';
import type { LocalEnvironmentOptions } from '../../../src/exec/environment/local-environment.ts';
import {
  neverAborted,
  openScript,
  PATH,
  runScript,
  type TestEnvironment,
  testEnvironment,
} from '../../../src/exec/environment/test-environment.ts';
import { COMPILER, createGround, hasProgram, PEOPLE } from './run-agent.ts';

const canTest = process.platform === 'linux' && hasProgram('bwrap') && hasProgram('perl');
const NAMES = ['.git', '.agents', '.codex', '.oxbow'];
const NO_BUBBLEWRAP = { probes: { bubblewrap: async () => 'kept from the test' } };

let base: string;
let root: string;
const notes: string[] = [];
const environments: TestEnvironment[] = [];
const at = (...names: string[]) => join(base, ...names);

beforeEach(() => {
  // Not below /tmp, which some policies make writable.
  base = realpathSync(mkdtempSync('/var/tmp/oxbow-protected-'));
  root = at('w');
  mkdirSync(root);
  notes.splice(0);
});
afterEach(async () => {
  await Promise.all(environments.splice(0).map((environment) => environment.close()));
  rmSync(base, { recursive: true, force: true });
});

function sandboxed(policy: Partial<SandboxPolicy> = {}, more: Partial<LocalEnvironmentOptions> = {}): TestEnvironment {
  const whole = { mode: 'workspace-write' as const, writableRoots: [root], network: false, ...policy };
  const environment = testEnvironment({ policy: whole, onNote: (note) => notes.push(note), ...more });
  environments.push(environment);
  return environment;
}

async function started(environment: TestEnvironment, script: string) {
  const { terminal } = await openScript(environment, script, { cwd: root });
  let text = '';
  while (!text.includes('ready')) text += (await terminal.collect(20, neverAborted)).text;
  return terminal;
}

describe.skipIf(!canTest)('under bubblewrap', () => {
  const TAKE = 'mkdir .git || mkdir .git/hooks || echo x > .git/config || echo kept';

  test('protected names that do not exist cannot be created, and leave nothing behind', async () => {
    const environment = sandboxed();
    const { text } = await runScript(environment, `${TAKE}; mv .git x; rmdir .git; ls -A`, { cwd: root });
    expect(text).toContain('kept');
    await environment.close();
    expect(readdirSync(root)).toEqual([]);
  });

  test('such a name stays protected while a command of another thread ends', async () => {
    const [first, second] = [sandboxed(), sandboxed()];
    const slow = await started(first, `echo ready; while [ ! -e go ]; do sleep 0.02; done; ${TAKE}`);
    await runScript(second, 'true', { cwd: root });
    await second.close();
    for (const name of NAMES) expect(existsSync(join(root, name))).toBe(true);
    writeFileSync(join(root, 'go'), '');
    expect((await slow.collect(20_000, neverAborted)).text).toContain('kept');
  });

  test('such a name stays protected for one program while another ends', async () => {
    const ground = createGround();
    const [person] = PEOPLE;
    if (person === undefined) throw new Error('nobody is here');
    try {
      const workspace = ground.folder(person, 'w');
      const policy = { mode: 'workspace-write', writableRoots: [workspace], network: false } as const;
      const job = { policy, sandbox: 'bubblewrap', cwd: workspace, env: { PATH } } as const;
      const until = (file: string) => `echo ready; touch ${file}-runs; while [ ! -e ${file} ]; do sleep 0.02; done`;
      const first = ground.run(person, { ...job, argv: ['/bin/bash', '-c', until('first')] });
      await vi.waitFor(() => expect(readdirSync(workspace)).toContain('first-runs'), 10_000);
      const script = `${until('second')}; ( ${TAKE} ) > said 2>&1; sleep 300`;
      const second = await ground.start(person, { ...job, argv: ['/bin/bash', '-c', script], ending: 'wait' });
      writeFileSync(join(workspace, 'first'), '');
      await first;
      writeFileSync(join(workspace, 'second'), '');
      await vi.waitFor(() => expect(readFileSync(join(workspace, 'said'), 'utf8')).toContain('kept'), 10_000);
      second.child.kill('SIGKILL');
    } finally {
      ground.dispose();
    }
  });

  test('a folder that another process created meanwhile is not deleted', async () => {
    const environment = sandboxed();
    const slow = await started(environment, 'echo ready; while [ ! -e go ]; do sleep 0.02; done');
    writeFileSync(join(root, '.agents', 'mine'), 'text');
    rmSync(join(root, '.codex'), { recursive: true });
    mkdirSync(join(root, '.codex'));
    writeFileSync(join(root, 'go'), '');
    await slow.collect(20_000, neverAborted);
    await environment.close();
    expect(readdirSync(root).sort((a, b) => a.localeCompare(b))).toEqual(['.agents', '.codex', 'go']);
    expect(readFileSync(join(root, '.agents', 'mine'), 'utf8')).toBe('text');
  });

  test('a writable root inside another cannot be moved away to put another .git in its place', async () => {
    mkdirSync(join(root, 'a', 'project', '.git'), { recursive: true });
    const inner = join(root, 'a', 'project');
    const rename = `perl -e 'rename shift, shift or print "kept\n"'`;
    const script = `${rename} ${root}/a ${root}/b; ${rename} ${inner} ${root}/c; mkdir -p ${inner}/.git/hooks`;
    const environment = sandboxed({ writableRoots: [root, inner] });
    expect((await runScript(environment, script)).text).toMatch(/^kept\nkept\n/);
    await environment.close();
    expect(readdirSync(root)).toEqual(['a']);
    expect(readdirSync(join(inner, '.git'))).toEqual([]);
  });

  test('the repository of a worktree cannot be moved away either', async () => {
    mkdirSync(join(root, 'main', '.git', 'worktrees', 'x'), { recursive: true });
    mkdirSync(join(root, 'x'));
    writeFileSync(join(root, 'x', '.git'), `gitdir: ${join(root, 'main', '.git', 'worktrees', 'x')}\n`);
    await runScript(
      sandboxed({ writableRoots: [root, join(root, 'x')] }),
      `mv ${root}/main ${root}/y; mv ${root}/x ${root}/z`,
    );
    expect(existsSync(join(root, 'main', '.git', 'worktrees', 'x'))).toBe(true);
    expect(existsSync(join(root, 'x', '.git'))).toBe(true);
  });

  test('many protected paths still work, and the user gets a warning about the cost', async () => {
    const hidden = Array.from({ length: 60 }, (_, n) => at(`hidden-${n}`));
    for (const path of hidden) writeFileSync(path, 'secret');
    const { text, exitCode } = await runScript(sandboxed({ denyRead: hidden }), `cat ${base}/hidden-*`, { cwd: root });
    expect(text).not.toContain('secret');
    expect(exitCode).toBe(1);
    expect(notes).toEqual([expect.stringContaining('mounts for each command')]);
  });

  test('more paths than can be mounted are refused', async () => {
    const hidden = Array.from({ length: 500 }, (_, n) => at(`hidden-${n}`));
    for (const path of hidden) writeFileSync(path, '');
    await expect(openScript(sandboxed({ denyRead: hidden }), 'true')).rejects.toMatchObject({ kind: 'permission' });
  });
});

describe.skipIf(!canTest)('under Landlock', () => {
  test('a hook is set aside when the command has ended, and can be inspected', async () => {
    mkdirSync(join(root, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(root, '.git', 'config'), 'original');
    const script = 'echo evil > .git/hooks/pre-commit; echo evil >> .git/config; chmod 777 .git/hooks';
    await runScript(sandboxed({}, NO_BUBBLEWRAP), script, { cwd: root });
    expect(readFileSync(join(root, '.git', 'config'), 'utf8')).toBe('original');
    expect(readdirSync(join(root, '.git', 'hooks'))).toEqual([]);
    expect(readdirSync(join(root, 'oxbow-set-aside-1')).join()).toMatch(/config.*pre-commit|pre-commit.*config/);
    expect(notes.at(-1)).toContain(join(root, 'oxbow-set-aside-1'));
  });

  test('a protected name that was deleted, moved or replaced is restored', async () => {
    for (const name of ['.agents', '.codex', '.oxbow']) {
      mkdirSync(join(root, name, 'rules'), { recursive: true });
      writeFileSync(join(root, name, 'rules', 'a'), name);
    }
    const script =
      'rm -rf .agents; mv .codex elsewhere; rm -rf .oxbow; ln -s /etc .oxbow; mkdir .git; echo x > .git/config';
    await runScript(sandboxed({}, NO_BUBBLEWRAP), script, { cwd: root });
    for (const name of ['.agents', '.codex', '.oxbow']) {
      expect(readFileSync(join(root, name, 'rules', 'a'), 'utf8')).toBe(name);
    }
    expect(existsSync(join(root, '.git'))).toBe(false);
  });

  test('restoring does not follow links out of the workspace', async () => {
    mkdirSync(join(root, '.git', 'hooks'), { recursive: true });
    mkdirSync(at('outside'));
    writeFileSync(join(root, '.git', 'hooks', 'pre-commit'), 'original');
    const script = `rm -rf .git/hooks; ln -s ${at('outside')} .git/hooks`;
    await runScript(sandboxed({}, NO_BUBBLEWRAP), script, { cwd: root });
    expect(readdirSync(at('outside'))).toEqual([]);
    expect(readFileSync(join(root, '.git', 'hooks', 'pre-commit'), 'utf8')).toBe('original');
  });

  test('a change by one command does not become the original for the next', async () => {
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.git', 'config'), 'original');
    const environment = sandboxed({}, NO_BUBBLEWRAP);
    const slow = await started(
      environment,
      'echo evil > .git/config; echo ready; while [ ! -e go ]; do sleep 0.02; done',
    );
    await runScript(environment, 'true', { cwd: root });
    expect(readFileSync(join(root, '.git', 'config'), 'utf8')).toBe('original');
    writeFileSync(join(root, 'go'), '');
    await slow.collect(20_000, neverAborted);
    expect(readFileSync(join(root, '.git', 'config'), 'utf8')).toBe('original');
  });

  test('a deleted repository cannot be restored, and the user gets a warning', async () => {
    for (const folder of ['objects', 'hooks']) mkdirSync(join(root, '.git', folder), { recursive: true });
    writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    await runScript(sandboxed({}, NO_BUBBLEWRAP), 'rm -rf .git', { cwd: root });
    expect(notes.at(-1)).toContain('could not be put back');
  });

  test('a folder that is too large to restore cannot be changed at all', async () => {
    mkdirSync(join(root, '.codex'));
    for (let n = 0; n < 2100; n++) writeFileSync(join(root, '.codex', `${n}`), '');
    mkdirSync(join(root, 'src'));
    const script = 'echo x > .codex/1; echo x > new; rm -rf .codex; echo x > src/new && echo wrote';
    const { text } = await runScript(sandboxed({}, NO_BUBBLEWRAP), script, { cwd: root });
    expect(text).toContain('wrote');
    expect(readdirSync(root).sort((a, b) => a.localeCompare(b))).toEqual(['.codex', 'src']);
    expect(readFileSync(join(root, '.codex', '1'), 'utf8')).toBe('');
    expect(notes).toContainEqual(expect.stringContaining('too much to be guarded'));
  });

  test('a linked .git can neither be written to nor replaced', async () => {
    for (const folder of ['real', 'src']) mkdirSync(join(root, folder));
    symlinkSync('real', join(root, '.git'));
    await runScript(sandboxed({}, NO_BUBBLEWRAP), 'rm .git; ln -sfn src .git; mv .git x', { cwd: root });
    expect(readdirSync(root).sort((a, b) => a.localeCompare(b))).toEqual(['.git', 'real', 'src']);
  });
});

const OPTIONS = [
  ['bubblewrap', {}],
  ['Landlock', NO_BUBBLEWRAP],
] as const;

test.skipIf(!canTest).each(OPTIONS)(
  'under %s a folder that becomes a bare repository is noted, once',
  async (_, more) => {
    const environment = sandboxed({}, more);
    await runScript(environment, 'mkdir objects refs; echo "ref: refs/heads/main" > HEAD; git status', { cwd: root });
    await runScript(environment, 'true', { cwd: root });
    expect(notes.filter((note) => note.includes(`made ${root} a repository`))).toHaveLength(1);
  },
);

describe.skipIf(!canTest)('the launcher', () => {
  test.each(OPTIONS)('of %s does not run programs named in variables of a command', async (_, more) => {
    const module = at('Evil.pm');
    writeFileSync(module, `BEGIN { open(my $f, '>', '${at('escaped')}') } 1;`);
    chmodSync(module, 0o755);
    const variables = { PERL5OPT: '-MEvil', PERL5LIB: base, LD_PRELOAD: '', LD_LIBRARY_PATH: '', GLIBC_TUNABLES: 'x' };
    if (hasProgram(COMPILER)) {
      const source = `#include <fcntl.h>\n__attribute__((constructor)) static void f(void) { open("${at('escaped')}", O_CREAT | O_WRONLY, 0644); }`;
      execFileSync(COMPILER, ['-shared', '-fPIC', '-x', 'c', '-', '-o', at('evil.so')], { input: source });
      variables.LD_PRELOAD = at('evil.so');
      variables.LD_LIBRARY_PATH = base;
    }
    const environment = sandboxed({}, { baseEnv: { PATH, ...variables }, ...more });
    const { text } = await runScript(environment, 'echo "$PERL5OPT $LD_PRELOAD"', { cwd: root });
    expect(text).toContain(`-MEvil ${variables.LD_PRELOAD}`);
    expect(existsSync(at('escaped'))).toBe(false);
  });

  test.each(OPTIONS)('of %s is not tricked by a zero byte in the model’s command', async (_, more) => {
    const environment = sandboxed({}, more);
    const opening = environment.open(
      {
        kind: 'command',
        argv: ['/bin/sh', '-c', `echo x > ${at('escaped')}`],
        cwd: root,
        login: false,
        escalate: false,
        yieldMs: 0,
      },
      { callId: `c\0--bind\0/\0/\0`, policy: environment.policy, sandboxed: true, onOutput() {}, onExit() {} },
    );
    await expect(opening).rejects.toMatchObject({ name: 'ToolFailure', message: expect.stringContaining('zero byte') });
    expect(existsSync(at('escaped'))).toBe(false);
  });

  test.each(OPTIONS)('of %s does not show the variables in the process list', async (_, more) => {
    const environment = sandboxed({}, { baseEnv: { PATH, MY_VALUE: 'for-the-command' }, ...more });
    const slow = await started(environment, 'echo ready; while [ ! -e go ]; do sleep 0.02; done');
    const lines = spawn('ps', ['-eo', 'args', 'ww'], { stdio: ['ignore', 'pipe', 'ignore'] });
    let printed = '';
    lines.stdout.on('data', (text) => {
      printed += text;
    });
    await once(lines, 'close');
    expect(printed).not.toContain('for-the-command');
    writeFileSync(join(root, 'go'), '');
    await slow.collect(20_000, neverAborted);
  });
});
