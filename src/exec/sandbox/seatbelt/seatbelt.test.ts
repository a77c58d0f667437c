import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SandboxPolicy } from '../../../base/policy.ts';
import { type SeatbeltFacts, seatbeltArgv, seatbeltProfile, withProxyPort } from './seatbelt.ts';

const NOTHING: SeatbeltFacts = { roots: [], readOnly: [], pinned: [], hidden: [], socketFolders: [] };
const WRITE: SandboxPolicy = { mode: 'workspace-write', writableRoots: ['/w'], network: false };
const READ: SandboxPolicy = { mode: 'read-only', writableRoots: ['/w'], network: false };
const W: SeatbeltFacts = { ...NOTHING, roots: [{ path: '/w' }] };

/** Returns the lines of a profile that mention a word, with the values of parameters in place of their names. */
function rules(word: string, policy: SandboxPolicy, facts: SeatbeltFacts): string[] {
  const { profile, parameters } = seatbeltProfile(policy, facts);
  return profile
    .split('\n')
    .filter((line) => line.includes(word))
    .map((line) => line.replace(/\(param "(\w+)"\)/g, (_, key: string) => `<${parameters.get(key)}>`));
}

/** Returns the patterns that are excepted from writing. */
function protectedBy(line: string): RegExp[] {
  return [...line.matchAll(/\(require-not \(regex #"([^"]*)"\)\)/g)].map(
    ([, pattern = '']) => new RegExp(pattern, 's'),
  );
}

/** Reports whether all parentheses and quotes are closed, as in a valid profile. */
function isWellFormed(profile: string): boolean {
  const bare = profile.replace(/"[^"]*"|;[^\n]*/g, '');
  let depth = 0;
  for (const part of bare.match(/[()]/g) ?? []) {
    depth += part === '(' ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0 && !bare.includes('"');
}

describe('writing', () => {
  test('is denied in read-only mode, but for /dev/null and terminals', () => {
    const lines = rules('file-write', READ, W);
    expect(lines.filter((line) => !line.includes('/dev/'))).toEqual([]);
  });

  test('is allowed below each root, except for protected names, existing or not, in any case', () => {
    const [line = '', ...rest] = rules('(allow file-write* (require-all (subpath', WRITE, W);
    expect(rest).toEqual([]);
    expect(line).toContain('(subpath </w>)');
    const patterns = protectedBy(line);
    const denied = (path: string) => patterns.some((pattern) => pattern.test(path));
    for (const path of ['/w/.git', '/w/.git/config', '/w/.GIT/hooks/x', '/w/.codex', '/w/.Oxbow/a', '/w/.agents/b']) {
      expect([path, denied(path)]).toEqual([path, true]);
    }
    for (const path of ['/w/a', '/w/.gitignore', '/w/a/.git', '/w/xgit', '/v/.git', '/w/.github/x']) {
      expect([path, denied(path)]).toEqual([path, false]);
    }
  });

  test('is denied to read-only paths in every root, so that a root inside another allows no more', () => {
    const facts = { ...NOTHING, roots: [{ path: '/w' }, { path: '/w/sub' }], readOnly: ['/w/main/.git'] };
    const lines = rules('(allow file-write* (require-all (subpath', WRITE, facts);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toContain('(require-not (subpath </w/main/.git>))');
  });

  test('is allowed in the children only where a root lists them', () => {
    const facts = { ...NOTHING, roots: [{ path: '/w', children: ['/w/a', '/w/b'] }] };
    const lines = rules('(allow file-write* (require-all (subpath', WRITE, facts);
    expect(lines.map((line) => /subpath <([^>]+)>/.exec(line)?.[1])).toEqual(['/w/a', '/w/b']);
  });

  test('cannot remove or move roots, protected paths, or the folders above them', () => {
    const facts = { ...W, readOnly: ['/w/deep/repo/.git'], pinned: ['/w/deep', '/w/deep/repo'] };
    expect(rules('file-write-unlink', WRITE, facts)).toEqual(
      ['/w', '/w/deep', '/w/deep/repo', '/w/deep/repo/.git'].map(
        (path) => `(deny file-write-unlink (literal <${path}>))`,
      ),
    );
  });
});

describe('network', () => {
  const network = (policy: Partial<SandboxPolicy>, facts: Partial<SeatbeltFacts> = {}) =>
    rules('network', { ...WRITE, ...policy }, { ...W, ...facts });

  test('is off without any rule', () => {
    expect(network({})).toEqual([]);
    expect(rules('system-socket', WRITE, W)).toEqual([]);
  });

  test('is on with network_access', () => {
    expect(network({ network: true })).toContain('(allow network*)');
  });

  test('is one port of this machine with a proxy', () => {
    const argv = seatbeltArgv(WRITE, W);
    const [program, flag, profile, ...rest] = withProxyPort(argv, 4711);
    expect([program, flag, ...rest]).toEqual([argv[0], argv[1], ...argv.slice(3)]);
    expect(profile?.split('\n').filter((line) => line.includes('network'))).toEqual([
      '(allow network-outbound (remote ip "localhost:4711"))',
    ]);
  });

  test('has sockets below TMPDIR only when they are private', () => {
    const facts = { socketFolders: ['/private/var/folders/x/T'] };
    expect(network({}, facts)).toEqual([]);
    expect(network({ unixSockets: 'private' }, facts)).toEqual([
      '(allow network-bind (local unix-socket (subpath </private/var/folders/x/T>)))',
      '(allow network-inbound (local unix-socket (subpath </private/var/folders/x/T>)))',
      '(allow network-outbound (remote unix-socket (subpath </private/var/folders/x/T>)))',
    ]);
  });
});

test('hidden paths are denied last, in every mode', () => {
  for (const policy of [READ, WRITE, { ...WRITE, network: true }]) {
    const { profile } = seatbeltProfile(policy, { ...W, hidden: ['/home/u/.ssh'] });
    expect(profile.trimEnd().split('\n').at(-1)).toMatch(
      /^\(deny file-read\* file-write\* \(subpath \(param "HIDDEN_\d+"\)\)\)$/,
    );
  }
});

test('the variables of other processes cannot be read', () => {
  const { profile } = seatbeltProfile(WRITE, W);
  expect(profile).not.toMatch(/\(allow sysctl-read\)|sysctl-name-prefix "kern|procargs/);
});

test('the command follows the profile and the definitions', () => {
  const argv = seatbeltArgv(WRITE, W);
  expect([argv[0], argv[1], argv.at(-1)]).toEqual(['/usr/bin/sandbox-exec', '-p', '--']);
  expect(argv).toContain('ROOT_0=/w');
});

test('no path becomes a part of the profile that allows more', () => {
  const piece = fc.oneof(
    fc.stringMatching(/^[^/\0]{1,12}$/),
    fc.constantFrom(
      'a"b',
      ')(allow default)',
      '") (allow network*) ("',
      'ü',
      '.*',
      '[a',
      'a\\',
      'a b',
      '\n(allow default)',
      '^$+?',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
      const root = `/${pieces.join('/')}`;
      const facts = { ...W, roots: [{ path: root }], readOnly: [`${root}/x`], hidden: [`${root}/h`] };
      const { profile, parameters } = seatbeltProfile(WRITE, facts);
      expect(isWellFormed(profile)).toBe(true);
      const bare = profile.replace(/"[^"]*"/g, '');
      expect(bare).not.toMatch(/allow default|allow network/);
      expect([...parameters.values()]).toContain(root);
      const [line = ''] = profile.split('\n').filter((one) => one.startsWith('(allow file-write* (require-all'));
      expect(protectedBy(line).some((pattern) => pattern.test(`${root}/.git/config`))).toBe(true);
    }),
  );
});
