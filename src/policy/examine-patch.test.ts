import { posix } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import type { SandboxMode } from '../base/policy.ts';
import { examinePatch } from './examine-patch.ts';

const examine = (path: string, mode: SandboxMode = 'workspace-write', to?: string) =>
  examinePatch(
    {
      kind: 'patch',
      changes: [
        {
          type: 'update',
          path,
          destroys: false,
          shown: path,
          before: '',
          after: '',
          ...(to === undefined ? {} : { to }),
        },
      ],
      escalate: false,
    },
    { mode, writableRoots: ['/w', '/tmp/'], network: false, denyRead: ['/w/secret'] },
  );

test.each(['/w/a', '/w/a/b', '/tmp/x', '/w/.github/x', '/w/git', '/w/.gitignore'])('%s is writable', (path) => {
  expect(examine(path).outside).toEqual([]);
});

test.each([
  '/',
  '/w',
  '/wa/x',
  '/etc/passwd',
  'w/a',
  '/w/../x',
  '/w/./../x',
  '/w/.git',
  '/w/.git/hooks/pre-commit',
  '/w/sub/.git/config',
  '/w/.GIT/config',
  '/w/.codex/config.toml',
  '/w/.oxbow/rules/x.rules',
  '/tmp/.agents/x',
])('%s is not', (path) => {
  expect(examine(path).outside).toEqual([path]);
});

test('both paths of a moved file count', () => {
  expect(examine('/w/a', 'workspace-write', '/etc/a').outside).toEqual(['/etc/a']);
});

test('a read-only sandbox has no writable folder, no sandbox has no limits', () => {
  expect(examine('/w/a', 'read-only').outside).toEqual(['/w/a']);
  expect(examine('/etc/a', 'danger-full-access').outside).toEqual([]);
});

test('files of deny_read are named in every mode', () => {
  for (const mode of ['read-only', 'workspace-write', 'danger-full-access'] as const) {
    expect(examine('/w/secret', mode).unreadable).toEqual(['/w/secret']);
    expect(examine('/w/secret/key', mode).unreadable).toEqual(['/w/secret/key']);
    expect(examine('/w/secrets', mode).unreadable).toEqual([]);
  }
});

test('no path that leads out of the folders counts as inside', () => {
  const name = fc.constantFrom('w', 'tmp', '..', '.', '.git', 'a', '', 'etc', '.codex', 'W', '\u202e', '‥');
  fc.assert(
    fc.property(fc.array(name, { maxLength: 8 }), (names) => {
      const path = `/${names.join('/')}`;
      if (examine(path).outside.length > 0) return;
      const real = posix.normalize(path);
      expect(real.startsWith('/w/') || real.startsWith('/tmp/')).toBe(true);
      expect(real).not.toMatch(/\/\.(git|codex)(\/|$)/);
    }),
    { numRuns: runs(10_000) },
  );
});
