import { expect, test } from 'vitest';
import type { SandboxPolicy } from '../../base/policy.ts';
import { type BubblewrapFacts, bubblewrapArgv, countMounts, packBubblewrapVariables } from './bubblewrap.ts';

const facts: BubblewrapFacts = {
  program: '/usr/bin/bwrap',
  mountProc: true,
  userNamespace: true,
  superuser: false,
  roots: [{ path: '/w' }, { path: '/x' }],
  readOnly: ['/w/.git'],
  stubs: [],
  pinned: [],
  hidden: [],
};
const policy: SandboxPolicy = { mode: 'workspace-write', writableRoots: ['/w', '/x'], network: false };

const line = (changed: Partial<SandboxPolicy> = {}, changedFacts: Partial<BubblewrapFacts> = {}) =>
  bubblewrapArgv({ ...policy, ...changed }, { ...facts, ...changedFacts }).join(' ');

const START =
  '/usr/bin/bwrap --clearenv --args 3 --seccomp 4 --die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc ';
const END = '--unshare-user --unshare-pid --unshare-ipc --unshare-net --cap-drop ALL';

test('workspace-write binds the roots, then their read-only paths', () => {
  expect(line()).toBe(`${START}--bind /w /w --bind /x /x --ro-bind /w/.git /w/.git ${END}`);
});

test('read-only binds nothing', () => {
  expect(line({ mode: 'read-only' })).toBe(START + END);
});

test('protected names without an entry are covered, and folders above protected paths cannot move', () => {
  const roots = [{ path: '/w' }, { path: '/w/a/b' }];
  expect(line({}, { roots, readOnly: ['/w/a/b/.git'], stubs: ['/w/.git'], pinned: ['/w/a'] })).toContain(
    '--bind /w /w --bind /w/a /w/a --perms 0555 --tmpfs /w/.git --bind /w/a/b /w/a/b --ro-bind /w/a/b/.git /w/a/b/.git',
  );
});

test('of a root with a linked name only the existing entries are writable', () => {
  const roots = [{ path: '/w', children: ['/w/real', '/w/src'] }];
  expect(line({}, { roots, readOnly: ['/w/real'] })).toContain(
    '--ro-bind /w /w --bind /w/real /w/real --bind /w/src /w/src --ro-bind /w/real /w/real --unshare-user',
  );
});

test('a hidden path is an empty folder, or a device that cannot be opened', () => {
  const hidden = [
    { path: '/h/.ssh', isFolder: true },
    { path: '/h/.netrc', isFolder: false },
    { path: '/h/all', isFolder: true },
  ];
  const roots = [{ path: '/h/all/w' }];
  expect(line({}, { hidden, roots, readOnly: [] })).toContain(
    '--perms 0000 --tmpfs /h/.ssh --ro-bind /dev/null /h/.netrc --perms 0111 --tmpfs /h/all --bind /h/all/w /h/all/w',
  );
});

test('the network stays when the policy allows it', () => {
  expect(line({ network: true })).not.toContain('--unshare-net');
});

test('root cannot write to /proc', () => {
  expect(line({}, { superuser: true })).toContain('--proc /proc --remount-ro /proc --bind /w');
});

test('/proc is left as it is where it cannot be mounted', () => {
  expect(line({}, { superuser: true, mountProc: false })).not.toContain('/proc');
});

test('no user namespace is used where none can be made', () => {
  expect(line({}, { userNamespace: false })).not.toContain('--unshare-user');
});

test('the whole file system as a root does not hide /dev and /proc', () => {
  expect(line({}, { roots: [{ path: '/' }] })).toContain(
    '--new-session --bind / / --dev /dev --proc /proc --ro-bind /w/.git',
  );
});

test('variables of any content become flags', () => {
  expect(Buffer.from(packBubblewrapVariables({ A: 'x y\n', B: '--bind' })).toString()).toBe(
    '--setenv\0A\0x y\n\0--setenv\0B\0--bind\0',
  );
});

test('mounts are counted', () => {
  const argv = bubblewrapArgv(policy, { ...facts, stubs: ['/w/.oxbow'] });
  expect(countMounts(argv)).toBe(5);
});
