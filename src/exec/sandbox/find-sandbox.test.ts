import {
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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { neverAborted } from '../test-environment.ts';
import { findSandbox, sandboxMissing } from './find-sandbox.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-test-')));
});
afterEach(() => rmSync(base, { recursive: true }));

/** A program that stands for bwrap. */
function fakeBubblewrap(folder: string, script: string): string {
  mkdirSync(join(base, folder), { recursive: true });
  const path = join(base, folder, 'bwrap');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

function find(options: { systemProgram?: string; path?: string; untrustedFolders?: string[] }) {
  return findSandbox({
    policy: { mode: 'read-only', writableRoots: [], network: false },
    systemProgram: join(base, 'missing'),
    path: '',
    untrustedFolders: [],
    signal: neverAborted,
    ...options,
  });
}

describe('looking for bubblewrap', () => {
  test('tries the place where the system has it first', async () => {
    const systemProgram = fakeBubblewrap('system', 'exit 0');
    fakeBubblewrap('other', 'exit 0');
    expect(await find({ systemProgram, path: join(base, 'other') })).toMatchObject({
      program: systemProgram,
      mountProc: true,
    });
  });

  test('searches absolute folders that no command can write to', async () => {
    for (const folder of ['workspace/bin', 'good']) fakeBubblewrap(folder, 'exit 0');
    mkdirSync(join(base, 'linked'));
    symlinkSync(join(base, 'workspace/bin/bwrap'), join(base, 'linked/bwrap'));
    const path = ['bin', '', join(base, 'workspace/bin'), join(base, 'linked'), join(base, 'good')].join(':');
    const found = await find({ path, untrustedFolders: [join(base, 'workspace')] });
    expect(found).toMatchObject({ type: 'bubblewrap', program: join(base, 'good/bwrap') });
  });

  test('goes on without a new /proc where that cannot be mounted', async () => {
    const script = `case "$*" in *"--proc "*) echo "bwrap: Can't mount proc on /newroot/proc: Operation not permitted" >&2; exit 1;; esac`;
    expect(await find({ systemProgram: fakeBubblewrap('system', script) })).toMatchObject({ mountProc: false });
  });

  test('says what bubblewrap said when it cannot work', async () => {
    const script = 'echo warning >&2; echo "bwrap: setting up uid map: Permission denied." >&2; exit 1';
    expect(await find({ systemProgram: fakeBubblewrap('system', script) })).toEqual({
      type: 'none',
      why: 'setting up uid map: Permission denied',
    });
  });

  test('says how it ended when it said nothing', async () => {
    expect(await find({ systemProgram: fakeBubblewrap('system', 'exit 9') })).toEqual({
      type: 'none',
      why: 'exited with 9',
    });
  });

  test('says that there is none', async () => {
    expect(await find({})).toEqual({ type: 'none', why: 'not found' });
  });
});

test.skipIf(process.platform !== 'linux').each([
  ['setting up uid map: Permission denied', 'AppArmor'],
  ['loopback: Failed RTM_NEWADDR: Operation not permitted', 'AppArmor'],
  ['No permissions to create new namespace, likely because …', 'kernel.unprivileged_userns_clone'],
  [
    'Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
    'raise user.max_user_namespaces',
  ],
  ['Failed to make / slave: Permission denied', 'mount'],
  ['something new', 'run bwrap'],
])('the refusal after "%s" says what to do', (why, hint) => {
  const { message, kind } = sandboxMissing(why, 'read-only');
  expect(kind).toBe('permission');
  expect(message.split('To fix: ')[1]).toContain(hint);
});

describe.skipIf(!existsSync('/usr/bin/bwrap'))('bubblewrap that is no longer waited for', () => {
  /** Processes whose command line names the folder of this test. */
  const leftovers = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(base);
        } catch {
          return false;
        }
      });

  test('at any moment leaves no process behind and answers at once', async () => {
    const policy = { mode: 'workspace-write', writableRoots: [base], network: false } as const;
    for (let ms = 0; ms < 24; ms++) {
      const controller = new AbortController();
      const options = {
        policy,
        systemProgram: '/usr/bin/bwrap',
        path: '',
        untrustedFolders: [],
        signal: controller.signal,
      };
      const finding = findSandbox(options);
      setTimeout(() => controller.abort(), ms / 2);
      await finding;
    }
    await vi.waitFor(() => expect(leftovers()).toEqual([]));
  });
});
