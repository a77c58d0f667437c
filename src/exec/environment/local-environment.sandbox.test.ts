import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SandboxPolicy } from '../../base/policy.ts';
import type { LocalEnvironmentOptions } from './local-environment.ts';
import {
  KEEP_ALL,
  neverAborted,
  openScript,
  PATH,
  runScript,
  type TestEnvironment,
  testEnvironment,
} from './test-environment.ts';

const hasBubblewrap = existsSync('/usr/bin/bwrap');

let base: string;
let root: string;
let outside: string;
const environments: TestEnvironment[] = [];

beforeEach(() => {
  // Not below /tmp, where some tests let commands write.
  base = mkdtempSync('/var/tmp/oxbow-test-');
  root = join(base, 'root');
  outside = join(base, 'outside');
  for (const path of [root, outside, join(root, '.git')]) mkdirSync(path);
  writeFileSync(join(root, '.git', 'config'), 'original');
});

afterEach(async () => {
  await Promise.all(environments.splice(0).map((environment) => environment.close()));
  rmSync(base, { recursive: true });
});

function sandboxed(policy: Partial<SandboxPolicy>, more: Partial<LocalEnvironmentOptions> = {}): TestEnvironment {
  const whole = { mode: 'workspace-write' as const, writableRoots: [root], network: false, ...policy };
  const environment = testEnvironment({ policy: whole, ...more });
  environments.push(environment);
  return environment;
}

describe.skipIf(!hasBubblewrap)('bubblewrap', () => {
  test('confines each command by its own policy', async () => {
    const environment = sandboxed({});
    const readOnly = { ...environment, policy: { ...environment.policy, mode: 'read-only' as const } };
    const write = (name: string) => `echo ${name} > ${name} && echo wrote`;
    const running = await openScript(environment, `until [ -e go ]; do sleep 0.02; done; ${write('later')}`, {
      cwd: root,
    });
    expect((await runScript(readOnly, write('first'), { cwd: root })).text).toContain('Read-only file system');
    expect((await runScript(environment, `touch go; ${write('second')}`, { cwd: root })).text).toBe('wrote\n');
    expect((await running.terminal.collect(20_000, neverAborted)).text).toBe('wrote\n');
    expect(['first', 'second', 'later'].map((name) => existsSync(join(root, name)))).toEqual([false, true, true]);
  });

  test('read-only mode lets a command read and lets it write nowhere', async () => {
    const environment = sandboxed({ mode: 'read-only' });
    const script = `cat .git/config; for f in new ${outside}/new /tmp/oxbow-new-$$ ~/oxbow-new; do echo x > $f && echo wrote $f; done`;
    const { text } = await runScript(environment, script, { cwd: root });
    expect(text).toMatch(/^original/);
    expect(text.match(/Read-only file system/g)).toHaveLength(4);
    expect(text).not.toContain('wrote');
  });

  test('workspace-write mode lets a command write to the roots and nowhere else', async () => {
    const environment = sandboxed({ writableRoots: [root, join(base, 'missing')] });
    const { text, exitCode } = await runScript(environment, `echo in > file && echo out > ${outside}/file`, {
      cwd: root,
    });
    expect(exitCode).toBe(1);
    expect(text).toContain('Read-only file system');
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('in\n');
    expect(existsSync(join(outside, 'file'))).toBe(false);
  });

  test('.git, .agents, .codex and .oxbow stay read-only', async () => {
    for (const name of ['.agents', '.codex', '.oxbow']) mkdirSync(join(root, name));
    const script =
      'for d in .git .agents .codex .oxbow; do echo x > $d/new || echo kept; done; rm -rf .git; mv .git moved';
    const { text } = await runScript(sandboxed({}), script, { cwd: root });
    expect(text.match(/kept/g)).toHaveLength(4);
    expect(readFileSync(join(root, '.git', 'config'), 'utf8')).toBe('original');
  });

  test('the repository of a worktree stays read-only, and its .git file', async () => {
    const tree = join(root, 'tree');
    mkdirSync(tree);
    mkdirSync(join(root, 'main', '.git', 'worktrees', 'tree'), { recursive: true });
    writeFileSync(join(tree, '.git'), 'gitdir: ../main/.git/worktrees/tree\n');
    const script = `echo x > .git; echo x > ../main/.git/config; echo x > ../main/file; ls ../main -A`;
    const { text } = await runScript(sandboxed({ writableRoots: [tree, root] }), script, { cwd: tree });
    expect(text.match(/Read-only file system/g)).toHaveLength(2);
    expect(text).toMatch(/\.git\nfile\n$/);
  });

  test('a linked .git can neither be written to nor replaced, and one note says so', async () => {
    rmSync(join(root, '.git'), { recursive: true });
    for (const folder of ['real', 'src']) mkdirSync(join(root, folder));
    symlinkSync('real', join(root, '.git'));
    const notes: string[] = [];
    const environment = sandboxed({}, { onNote: (note) => notes.push(note) });
    const script =
      'echo x > .git/new; rm .git; mv .git moved; ln -sfn src .git; echo x > src/new && echo wrote; readlink .git';
    for (let n = 0; n < 2; n++) {
      const { text } = await runScript(environment, script, { cwd: root });
      expect(text).toMatch(/wrote\nreal\n$/);
    }
    expect(readdirSync(join(root, 'real'))).toEqual([]);
    expect(notes).toEqual([expect.stringContaining(`${join(root, '.git')} is a symbolic link`)]);
  });

  test('a server on this machine cannot be reached unless the policy allows it', async () => {
    const server = createServer((socket) => socket.end('served\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const script = `exec 3<>/dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port} && cat <&3`;
    const off = await runScript(sandboxed({}), `${script}; echo $CODEX_SANDBOX_NETWORK_DISABLED`);
    expect(off.text).toMatch(/Connection refused[\s\S]*\n1\n$/);
    const on = await runScript(sandboxed({ network: true }), `${script}; echo $CODEX_SANDBOX_NETWORK_DISABLED`);
    expect(on.text).toBe('served\n\n');
    server.close();
  });

  test('settings of the machine are read-only', async () => {
    const script = 'v=$(cat /proc/sys/kernel/core_pattern); echo "$v" > /proc/sys/kernel/core_pattern';
    expect((await runScript(sandboxed({}), script)).exitCode).toBe(1);
  });

  test('secrets are in no environment that a command can read', async () => {
    const environment = sandboxed(
      {},
      {
        baseEnv: { PATH, MY_TOKEN: 'tell-no-one' },
        environmentPolicy: { ...KEEP_ALL, ignoreDefaultExcludes: false },
      },
    );
    const { text } = await runScript(environment, "cat /proc/*/environ | tr '\\0' '\\n'", { login: true });
    expect(text).toContain('CODEX_CI=1');
    expect(text).not.toContain('tell-no-one');
  });

  test('a login profile runs inside the sandbox', async () => {
    writeFileSync(join(root, '.bash_profile'), `echo x > ${outside}/from-profile; export FROM_PROFILE=yes`);
    const environment = sandboxed({}, { baseEnv: { PATH, HOME: root } });
    expect((await runScript(environment, 'echo $FROM_PROFILE', { login: true })).text).toBe('yes\n');
    expect(existsSync(join(outside, 'from-profile'))).toBe(false);
  });

  test('exit codes come through', async () => {
    const environment = sandboxed({});
    expect((await runScript(environment, 'exit 42')).exitCode).toBe(42);
    expect((await runScript(environment, 'kill -TERM $$')).exitCode).toBe(143);
  });

  test('Ctrl-C reaches the command, which may clean up', async () => {
    const { terminal } = await openScript(
      sandboxed({}),
      "trap 'echo cleaned; exit 5' INT; echo ready; sleep 60 & wait",
    );
    let text = '';
    while (!text.includes('ready')) text += (await terminal.collect(20, neverAborted)).text;
    await terminal.write('\u0003');
    expect(await terminal.collect(20_000, neverAborted)).toMatchObject({ text: 'cleaned\n', exitCode: 5 });
  });

  test('kill ends a sandboxed command', async () => {
    const { terminal, exits } = await openScript(sandboxed({}), 'setsid sleep 300 & sleep 300');
    await terminal.kill();
    expect(exits).toMatchObject([{ exitCode: 137 }]);
  });

  test('a command may run outside the sandbox if so decided', async () => {
    const { exitCode } = await runScript(sandboxed({}), `echo x > ${outside}/file`, { sandboxed: false });
    expect(exitCode).toBe(0);
    expect(existsSync(join(outside, 'file'))).toBe(true);
  });

  test('the output of a sandboxed command can be opened by name', async () => {
    expect((await runScript(sandboxed({}), 'echo a > /dev/stderr')).text).toBe('a\n');
  });

  test('the sandbox is looked for once', async () => {
    const calls = join(base, 'calls');
    const wrapper = join(base, 'bwrap');
    // A file for each start: long lines that several shells append to one file may be cut.
    mkdirSync(calls);
    writeFileSync(wrapper, `#!/bin/sh\necho "$*" > ${calls}/$$\nexec /usr/bin/bwrap "$@"\n`, { mode: 0o755 });
    const environment = sandboxed({}, { bubblewrap: wrapper });
    environment.prepare(environment.policy);
    await Promise.all([runScript(environment, 'true'), runScript(environment, 'true'), runScript(environment, 'true')]);
    const probes = readdirSync(calls).filter((name) => readFileSync(join(calls, name), 'utf8').endsWith('-- true\n'));
    expect(probes).toHaveLength(1);
  });
});

describe('without a sandbox', () => {
  const absent = {
    bubblewrap: '/nonexistent/bwrap',
    perl: '/nonexistent/perl',
    baseEnv: { PATH: '/nonexistent' },
  };

  test.skipIf(process.platform !== 'linux')('commands are refused with a sentence that says what to do', async () => {
    const marker = join(root, 'ran');
    for (const mode of ['read-only', 'workspace-write'] as const) {
      await expect(openScript(sandboxed({ mode }, absent), `touch ${marker}`)).rejects.toMatchObject({
        name: 'ToolFailure',
        kind: 'permission',
        message:
          'No OS sandbox available: bubblewrap: not found; Landlock: perl, which applies it, was not found. ' +
          `Commands will not run in ${mode} mode. ` +
          'To fix: apt/dnf/pacman install bubblewrap. To run without a sandbox: sandbox_mode = "danger-full-access" in config.toml.',
      });
    }
    expect(existsSync(marker)).toBe(false);
  });

  test('a command that was decided to run outside the sandbox still runs', async () => {
    expect(await runScript(sandboxed({}, absent), 'echo ran', { sandboxed: false })).toEqual({
      text: 'ran\n',
      exitCode: 0,
    });
  });

  test('prepare fails silently', async () => {
    const environment = sandboxed({}, absent);
    environment.prepare(environment.policy);
    await expect(openScript(environment, 'true', { login: true })).rejects.toMatchObject({ kind: 'permission' });
  });
});
