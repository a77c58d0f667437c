import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { startProgram } from '../../harness/start-program.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/oxbow', import.meta.url));
const BUBBLEWRAP = '/usr/bin/bwrap';

/** Creates a temporary folder for the program, to see what the program leaves there. */
async function place() {
  const { workspace } = await scene([]);
  const temporary = join(workspace.home, 'temporary');
  mkdirSync(temporary);
  return { workspace, temporary, left: () => readdirSync(temporary) };
}

describe('the demo', () => {
  test('fails a real test, repairs the program, passes the test, and leaves nothing behind', async () => {
    const { workspace, temporary, left } = await place();
    const result = await runOxbow(['demo'], { workspace, env: { TMPDIR: temporary, OPENAI_API_KEY: 'sk-real' } });
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('The model is a script: it needs no key, and nothing leaves this machine.');
    expect(result.stdout).toMatch(new RegExp(`folder +${temporary}/oxbow-demo-\\w+/fizz\n`));
    expect(result.stdout).toContain('The test exited with 1 before the change and with 0 after it.');
    expect(result.stdout).toMatch(/export OPENAI_API_KEY=…\n.*oxbow exec "[^"]+"\n.*\n.*model_provider=ollama.*\n$/);
    expect(result.stderr).toMatch(
      /\$ node fizz\.test\.mjs\n[\s\S]*not ok {2}fizz\(15\)[\s\S]*exit 1[\s\S]*\$ node fizz\.test\.mjs\n[\s\S]*ok {6}fizz\(15\)[\s\S]*exit 0/,
    );
    expect(result.stderr).toContain('The test passes.');
    expect(result.stderr).toContain('\n1 file changed by patches, 4 commands, 1 failed\n');
    expect(result.stderr).not.toMatch(/[a-z] failed/);
    expect(result.stdout + result.stderr).not.toContain('\u001b');
    expect(left()).toEqual([]);
    expect(readdirSync(workspace.home)).toEqual(['temporary']);
  });

  test('runs without a home, in a folder that is not writable', async () => {
    const { temporary, left } = await place();
    const env = { PATH: dirname(process.execPath), TMPDIR: temporary };
    const program = await startProgram({ command: process.execPath, args: [PROGRAM, 'demo'], cwd: '/proc', env });
    const result = await program.wait();
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('and with 0 after it');
    expect(left()).toEqual([]);
  });

  test('--keep leaves the repaired project, whose test passes', async () => {
    const { workspace, temporary, left } = await place();
    const result = await runOxbow(['demo', '--keep', '--fast'], { workspace, env: { TMPDIR: temporary } });
    expect(result.code).toBe(0);
    const [name = ''] = left();
    expect(result.stdout).toContain(`The folder is kept: ${join(temporary, name)}\n`);
    const again = spawnSync(process.execPath, ['fizz.test.mjs'], { cwd: join(temporary, name, 'fizz') });
    expect(again.status).toBe(0);
  });

  const withoutPrograms = async (...programs: readonly string[]) => {
    const { workspace, temporary } = await place();
    const hidden = ['--dev-bind', '/', '/', ...programs.flatMap((program) => ['--ro-bind', '/dev/null', program])];
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, TMPDIR: temporary };
    const args = [...hidden, '--', process.execPath, PROGRAM, 'demo'];
    const program = await startProgram({ command: BUBBLEWRAP, args, cwd: workspace.path, env });
    return program.wait();
  };

  test.skipIf(!existsSync(BUBBLEWRAP))('uses Landlock when bubblewrap does not work', async () => {
    const result = await withoutPrograms(BUBBLEWRAP);
    expect(result.stdout).toContain('sandbox  Landlock: commands may write to that folder only, and have no network\n');
    expect(result.code).toBe(0);
  });

  test.skipIf(!existsSync(BUBBLEWRAP))('says so when no sandbox works', async () => {
    const result = await withoutPrograms(BUBBLEWRAP, '/usr/bin/perl');
    expect(result.stdout).toContain('sandbox  none (install bubblewrap with apt, dnf or pacman)\n');
    expect(result.stdout).toContain('The commands of this demo are fixed and stay in that folder.');
    expect(result.stdout).toContain('and with 0 after it');
    expect(result.code).toBe(0);
  });

  test('has an example in its help, and accepts no arguments', async () => {
    const { workspace } = await place();
    expect((await runOxbow(['demo', '--help'], { workspace })).stdout).toContain('Example:\n  oxbow demo --keep\n');
    const refused = await runOxbow(['demo', 'now'], { workspace });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('oxbow demo takes no arguments.');
  });
});

describe('with a broken cat', () => {
  /** Starts the demo with a `cat` of ours, which it finds first, since it lies next to the Node that runs it. */
  async function startWithCat(script: string) {
    const { workspace, temporary, left } = await place();
    const bin = join(workspace.home, 'bin');
    const node = join(bin, 'node');
    mkdirSync(bin);
    copyFileSync(process.execPath, node);
    writeFileSync(join(bin, 'cat'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, 'cat'), 0o755);
    const env = { PATH: '/usr/bin:/bin', TMPDIR: temporary };
    const args = [PROGRAM, 'demo', '--fast'];
    return { program: await startProgram({ command: node, args, cwd: workspace.path, env }), temporary, left };
  }

  test('a test that still fails at the end is a failure, whatever the script says', async () => {
    const { program, left } = await startWithCat('echo "export const fizz = () => 0;" > fizz.mjs');
    const result = await program.wait();
    expect(result.code).toBe(1);
    expect(result.stdout).toContain('It ran with exit 1, then exit 1.');
    expect(result.stderr).toContain('The test still fails');
    expect(left()).toEqual([]);
  });

  test('Ctrl-C ends the demo and leaves nothing behind', async () => {
    const { program, temporary, left } = await startWithCat('touch reached\nexec sleep 600');
    const isReached = () => left().some((name) => existsSync(join(temporary, name, 'fizz', 'reached')));
    while (!isReached()) await sleep(20);
    program.kill('SIGINT');
    const result = await program.wait();
    expect(result.code).toBe(1);
    expect(result.stdout).toContain('The demo was interrupted.');
    expect(left()).toEqual([]);
  });
});
