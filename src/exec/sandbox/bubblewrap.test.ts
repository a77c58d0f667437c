import { expect, test } from 'vitest';
import type { SandboxPolicy } from '../../base/policy.ts';
import { type BubblewrapFacts, bubblewrapArgv } from './bubblewrap.ts';

const facts: BubblewrapFacts = {
  program: '/usr/bin/bwrap',
  mountProc: true,
  superuser: false,
  writable: ['/w', '/x'],
  readOnly: ['/w/.git'],
};
const policy: SandboxPolicy = { mode: 'workspace-write', writableRoots: ['/w', '/x'], network: false };

const line = (changed: Partial<SandboxPolicy> = {}, changedFacts: Partial<BubblewrapFacts> = {}) =>
  bubblewrapArgv({ ...policy, ...changed }, '/w/sub', { ...facts, ...changedFacts }).join(' ');

test('workspace-write binds the roots, then what stays read-only in them', () => {
  expect(line()).toBe(
    '/usr/bin/bwrap --die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc --bind /w /w --bind /x /x ' +
      '--ro-bind /w/.git /w/.git --unshare-user --unshare-pid --unshare-ipc --unshare-net --cap-drop ALL --chdir /w/sub --',
  );
});

test('read-only binds nothing', () => {
  expect(line({ mode: 'read-only' })).toBe(
    '/usr/bin/bwrap --die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc ' +
      '--unshare-user --unshare-pid --unshare-ipc --unshare-net --cap-drop ALL --chdir /w/sub --',
  );
});

test('the network stays when the policy says so', () => {
  expect(line({ network: true })).not.toContain('--unshare-net');
});

test('root may not write to /proc/sys', () => {
  expect(line({}, { superuser: true })).toContain('--proc /proc --ro-bind /proc/sys /proc/sys --bind /w');
});

test('/proc is left as it is where it cannot be mounted', () => {
  expect(line({}, { superuser: true, mountProc: false })).not.toContain('/proc');
});

test('the whole file system as a root does not hide /dev and /proc', () => {
  expect(line({}, { writable: ['/'] })).toContain('--new-session --bind / / --dev /dev --proc /proc --ro-bind /w/.git');
});
