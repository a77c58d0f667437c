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
import { neverAborted } from '../environment/test-environment.ts';
import { describeSandbox, sandboxMissing } from './describe-sandbox.ts';
import { type FindSandboxOptions, type FoundSandbox, findSandbox } from './find-sandbox.ts';
import type { BubblewrapVariant, SandboxProbes } from './probes.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-test-')));
});
afterEach(() => rmSync(base, { recursive: true }));

/** Writes a script that stands in for a program. */
function fakeProgram(folder: string, name: string, script: string): string {
  mkdirSync(join(base, folder), { recursive: true });
  const path = join(base, folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

const fakeBubblewrap = (folder: string, script: string) => fakeProgram(folder, 'bwrap', script);

function find(options: Partial<FindSandboxOptions>): Promise<FoundSandbox> {
  const missing = { bubblewrap: join(base, 'missing'), perl: join(base, 'missing'), path: '' };
  return findSandbox({ ...missing, untrustedFolders: [], signal: neverAborted, platform: 'linux', ...options });
}

describe.skipIf(process.platform !== 'linux')('looking for bubblewrap', () => {
  test('tries the path of the system first', async () => {
    const bubblewrap = fakeBubblewrap('system', 'exit 0');
    fakeBubblewrap('other', 'exit 0');
    expect(await find({ bubblewrap, path: join(base, 'other') })).toMatchObject({
      type: 'bubblewrap',
      program: bubblewrap,
      mountProc: true,
      userNamespace: true,
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

  test('reports the message of a bubblewrap that cannot work', async () => {
    const script = 'echo warning >&2; echo "bwrap: setting up uid map: Permission denied." >&2; exit 1';
    expect(await find({ bubblewrap: fakeBubblewrap('system', script), superuser: false })).toMatchObject({
      type: 'none',
      bubblewrap: 'setting up uid map: Permission denied',
    });
  });

  test('reports the exit code of a bubblewrap without a message', async () => {
    expect(await find({ bubblewrap: fakeBubblewrap('system', 'exit 9') })).toMatchObject({
      bubblewrap: 'exited with 9',
    });
  });

  test('a sandbox that works is tried once, one that does not is tried again', async () => {
    const count = join(base, 'count');
    const works = fakeBubblewrap('works', `echo >> ${count}`);
    for (let n = 0; n < 3; n++) await find({ bubblewrap: works });
    expect(readFileSync(count, 'utf8')).toBe('\n');
    const fails = fakeBubblewrap('fails', `echo >> ${count}; exit 1`);
    for (let n = 0; n < 2; n++) await find({ bubblewrap: fails });
    expect(readFileSync(count, 'utf8')).toBe('\n\n\n');
  });
});

/** Answers of a machine. A probe without an answer here must not be called. */
interface Machine extends Partial<FindSandboxOptions> {
  bubblewrapSays?: (variant: BubblewrapVariant) => string | undefined;
  landlockVersion?: number | string;
  landlockSays?: string;
}

interface LandlockInside extends Pick<Machine, 'landlockVersion'> {
  readonly isRefused?: boolean;
}

describe('the ladder', () => {
  const asked: string[] = [];
  beforeEach(() => asked.splice(0));

  function onMachine({ bubblewrapSays, landlockVersion, landlockSays, ...options }: Machine) {
    const unexpected = (what: string) => {
      throw new Error(`${what} was asked for`);
    };
    const probes: SandboxProbes = {
      async bubblewrap(variant) {
        asked.push(
          `bubblewrap${variant.mountProc ? '' : ' without proc'}${variant.userNamespace ? '' : ' without user'}`,
        );
        return bubblewrapSays === undefined ? unexpected('bubblewrap') : bubblewrapSays(variant);
      },
      async landlockVersion() {
        asked.push('landlock version');
        return landlockVersion ?? 'not in this kernel';
      },
      async landlock(_, version) {
        asked.push(`landlock ${version}`);
        return landlockSays;
      },
    };
    const bubblewrap = bubblewrapSays === undefined ? join(base, 'missing') : fakeProgram('system', 'bwrap', '');
    return find({ bubblewrap, perl: fakeProgram('system', 'perl', ''), processor: 'x64', probes, ...options });
  }

  const noProc = ({ mountProc }: BubblewrapVariant) =>
    mountProc ? "Can't mount proc on /newroot/proc: Operation not permitted" : undefined;
  const REFUSED = 'No permissions to create new namespace, likely because the kernel does not allow it';

  test('1: bubblewrap with Landlock inside, and nothing else is tried', async () => {
    const landlock = { perl: join(base, 'system/perl'), version: 7 };
    expect(await onMachine({ bubblewrapSays: () => undefined, landlockVersion: 7 })).toMatchObject({
      type: 'bubblewrap',
      arch: 'x64',
      landlock,
    });
    expect(asked).toEqual(['landlock version', 'bubblewrap']);
  });

  test.each([
    ['there is none', {}],
    ['it would not let files move between folders', { landlockVersion: 1 }],
    ['it fails there', { landlockVersion: 7, isRefused: true }],
  ])('1a: bubblewrap without Landlock where %s', async (_, { isRefused = false, ...machine }: LandlockInside) => {
    const bubblewrapSays = ({ landlock }: BubblewrapVariant) =>
      landlock && isRefused ? 'landlock: refused' : undefined;
    const found = await onMachine({ bubblewrapSays, ...machine });
    expect(found).toMatchObject({ type: 'bubblewrap', mountProc: true });
    expect(found).not.toHaveProperty('landlock');
  });

  test('the chosen one, or none', async () => {
    const works = { bubblewrapSays: () => undefined, landlockVersion: 7 };
    expect(await onMachine({ ...works, backend: 'landlock' })).toMatchObject({ type: 'landlock', why: undefined });
    expect(await onMachine({ ...works, backend: 'bubblewrap' })).toMatchObject({ type: 'bubblewrap' });
    expect(
      await onMachine({ ...works, bubblewrapSays: () => REFUSED, superuser: false, backend: 'bubblewrap' }),
    ).toEqual({
      type: 'none',
      why: `sandbox_backend is "bubblewrap", and bubblewrap does not work here: ${REFUSED}`,
      lacks: 'rights',
      bubblewrap: REFUSED,
    });
    const none = await onMachine({ ...works, landlockVersion: 'disabled at boot (EOPNOTSUPP)', backend: 'landlock' });
    expect(none).toMatchObject({ type: 'none', lacks: 'choice' });
    expect(describeSandbox(none)).toContain('Landlock does not work here: disabled at boot (EOPNOTSUPP)');
    expect(describeSandbox(none)).toContain('set sandbox_backend to "auto"');
  });

  test('1b: bubblewrap without a new /proc', async () => {
    expect(await onMachine({ bubblewrapSays: noProc })).toMatchObject({ mountProc: false, userNamespace: true });
    expect(asked.slice(1)).toEqual(['bubblewrap', 'bubblewrap without proc']);
  });

  test('1c: bubblewrap without a user namespace, for root', async () => {
    const bubblewrapSays = ({ userNamespace }: BubblewrapVariant) => (userNamespace ? REFUSED : undefined);
    expect(await onMachine({ bubblewrapSays, superuser: true })).toMatchObject({
      mountProc: true,
      userNamespace: false,
    });
    expect(asked.slice(1)).toEqual(['bubblewrap', 'bubblewrap without user']);
  });

  test('1c and 1b at once', async () => {
    const bubblewrapSays = (variant: BubblewrapVariant) => (variant.userNamespace ? REFUSED : noProc(variant));
    expect(await onMachine({ bubblewrapSays, superuser: true })).toMatchObject({
      mountProc: false,
      userNamespace: false,
    });
  });

  test('3: Landlock when namespaces are refused', async () => {
    expect(await onMachine({ bubblewrapSays: () => REFUSED, superuser: false, landlockVersion: 4 })).toMatchObject({
      type: 'landlock',
      version: 4,
      why: REFUSED,
      superuser: false,
      perl: join(base, 'system/perl'),
    });
    expect(asked).toEqual(['landlock version', 'bubblewrap', 'landlock 4']);
  });

  test('3: Landlock for a root that may not do without user namespaces either', async () => {
    expect(await onMachine({ bubblewrapSays: () => REFUSED, superuser: true, landlockVersion: 1 })).toMatchObject({
      type: 'landlock',
      superuser: true,
    });
    expect(asked).toEqual(['landlock version', 'bubblewrap', 'bubblewrap without user', 'landlock 1']);
  });

  test('3: Landlock where there is no bubblewrap', async () => {
    expect(await onMachine({ landlockVersion: 7 })).toMatchObject({ type: 'landlock', why: 'not found' });
  });

  test.each(['not in this kernel (ENOSYS)', 'disabled at boot (EOPNOTSUPP)', 'blocked by the container (EPERM)'])(
    'none: Landlock is %s',
    async (landlockVersion) => {
      const found = await onMachine({ landlockVersion });
      expect(found).toEqual({
        type: 'none',
        why: `bubblewrap: not found; Landlock: ${landlockVersion}`,
        lacks: 'bubblewrap',
        bubblewrap: 'not found',
      });
    },
  );

  test('none: Landlock cannot be applied', async () => {
    expect(await onMachine({ landlockVersion: 3, landlockSays: 'filter: Invalid argument' })).toMatchObject({
      why: 'bubblewrap: not found; Landlock: filter: Invalid argument',
    });
  });

  test('none: there is neither bubblewrap nor perl', async () => {
    expect(await onMachine({ perl: join(base, 'missing') })).toMatchObject({
      why: 'bubblewrap: not found; Landlock: perl, which applies it, was not found',
    });
    expect(asked).toEqual([]);
  });

  test('none: a perl that commands could have written is not used', async () => {
    const perl = join(base, 'missing');
    fakeProgram('workspace', 'perl', '');
    const path = join(base, 'workspace');
    expect(await onMachine({ perl, path, untrustedFolders: [path] })).toMatchObject({ type: 'none' });
  });

  test.each([
    ['win32', 'x64', 'only Linux and macOS have one'],
    ['linux', 'riscv64', 'no filter of system calls for riscv64'],
  ] as const)('none: on %s %s nothing is tried', async (platform, processor, why) => {
    const found = await onMachine({ platform, processor, bubblewrapSays: () => undefined });
    expect(found).toMatchObject({ type: 'none', why: expect.stringContaining(why) });
    expect(asked).toEqual([]);
  });
});

describe('the description of a sandbox', () => {
  const none = (bubblewrap: string, lacks: 'bubblewrap' | 'rights' = 'rights') =>
    ({ type: 'none', why: `bubblewrap: ${bubblewrap}; Landlock: x`, lacks, bubblewrap }) as const;

  test.each([
    ['setting up uid map: Permission denied', 'AppArmor'],
    ['loopback: Failed RTM_NEWADDR: Operation not permitted', 'AppArmor'],
    ['No permissions to create new namespace, likely because …', 'kernel.unprivileged_userns_clone'],
    [
      'Creating new namespace failed: nesting depth or … namespaces exceeded (ENOSPC)',
      'raise user.max_user_namespaces',
    ],
    ['Creating new namespace failed: Operation not permitted', 'CAP_SYS_ADMIN'],
    ['Failed to make / slave: Permission denied', 'mount'],
    ['Unknown option --perms', 'newer bubblewrap'],
    ['something new', 'run bwrap'],
  ])('the refusal after "%s" says what to do', (why, hint) => {
    const { message, kind } = sandboxMissing(none(why), 'read-only');
    expect(kind).toBe('permission');
    expect(message).toMatch(
      /^No OS sandbox available: bubblewrap: .* Landlock: x\. Commands will not run in read-only mode\./,
    );
    expect(message.split('To fix: ')[1]).toContain(hint);
    expect(describeSandbox(none(why))).toContain(hint);
  });

  test('without bubblewrap the advice is to install it', () => {
    expect(describeSandbox(none('not found', 'bubblewrap'))).toContain('install bubblewrap');
  });

  test('bubblewrap is named, with the features that it lacks', () => {
    const bubblewrap = { type: 'bubblewrap', arch: 'x64', program: '/b', superuser: true } as const;
    expect(describeSandbox({ ...bubblewrap, mountProc: true, userNamespace: true })).toBe('Sandbox: bubblewrap.');
    expect(describeSandbox({ ...bubblewrap, mountProc: false, userNamespace: false })).toBe(
      'Sandbox: bubblewrap (without a /proc of its own, without a user namespace).',
    );
  });

  test('Landlock is described with its limits and why it is used', () => {
    const landlock = {
      type: 'landlock',
      arch: 'x64',
      perl: '/p',
      version: 3,
      superuser: false,
      why: 'not found',
    } as const;
    expect(describeSandbox(landlock)).toMatch(
      /^Sandbox: Landlock \(bubblewrap cannot be used: not found\)\. .*\.git is guarded/,
    );
  });
});

describe.skipIf(!existsSync('/usr/bin/bwrap'))('a search', () => {
  /** Returns the processes whose command line names the folder of this test. */
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

  test('that is aborted at any moment leaves no process behind and answers at once', async () => {
    symlinkSync('/usr/bin/bwrap', join(base, 'bwrap'));
    symlinkSync('/usr/bin/perl', join(base, 'perl'));
    for (let ms = 0; ms < 24; ms++) {
      const controller = new AbortController();
      // A different search each time, since results are remembered.
      const untrustedFolders = [`/nonexistent/${ms}`];
      const options = { bubblewrap: join(base, 'bwrap'), perl: join(base, 'perl'), untrustedFolders };
      const finding = find({ ...options, signal: controller.signal });
      setTimeout(() => controller.abort(), ms / 2);
      await finding;
    }
    await vi.waitFor(() => expect(leftovers()).toEqual([]), 20_000);
  });
});
