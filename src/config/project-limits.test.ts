import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../testing/index.ts';
import { type Config, loadConfig } from './load-config.ts';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.dispose());

type Table = Record<string, unknown>;

/** Loads the configuration of a project with the settings `project`, for a user with the settings `user`. */
function load(user: Table, project: Table, trust: 'trusted' | 'untrusted' | undefined): Config {
  const trusted = trust ? { projects: { [workspace.path]: { trust_level: trust } } } : {};
  writeFileSync(join(workspace.home, 'config.toml'), stringify({ ...user, ...trusted }));
  mkdirSync(join(workspace.path, '.codex'), { recursive: true });
  writeFileSync(join(workspace.path, '.codex/config.toml'), stringify(project));
  // Each load is the first in the project, which accepts its files.
  rmSync(join(workspace.home, 'trust'), { recursive: true, force: true });
  const env = { HOME: '/nowhere', OXBOW_HOME: workspace.home };
  return loadConfig({ env, cwd: workspace.path, systemFile: '/nowhere/config.toml' });
}

const at = (path: string, value: unknown): Table =>
  path
    .split('.')
    .reverse()
    .reduce<unknown>((below, key) => ({ [key]: below }), value) as Table;

const write = 'sandbox_workspace_write';
const shell = 'shell_environment_policy';

/**
 * A key, the user's value (undefined: not set), a stricter value, a looser value, and the value in the configuration.
 */
const ROWS: [string, unknown, unknown, unknown, (config: Config) => unknown][] = [
  ['sandbox_mode', undefined, 'read-only', 'danger-full-access', ({ policy }) => policy.sandbox.mode],
  ['sandbox_mode', 'workspace-write', 'read-only', 'danger-full-access', ({ policy }) => policy.sandbox.mode],
  ['sandbox_mode', 'read-only', 'read-only', 'workspace-write', ({ policy }) => policy.sandbox.mode],
  ['approval_policy', undefined, 'untrusted', 'never', ({ policy }) => policy.approval],
  ['approval_policy', 'untrusted', 'untrusted', 'on-request', ({ policy }) => policy.approval],
  ['approval_policy', 'on-failure', 'untrusted', { granular: { rules: false } }, ({ policy }) => policy.approval],
  [`${write}.network_access`, undefined, false, true, ({ policy }) => policy.sandbox.network],
  [`${write}.network_access`, true, false, undefined, ({ policy }) => policy.sandbox.network],
  [`${write}.exclude_slash_tmp`, true, true, false, ({ policy }) => !policy.sandbox.writableRoots.includes('/tmp')],
  [
    `${write}.writable_roots`,
    ['/a', '/b'],
    ['/a'],
    ['/a', '/b', '/c'],
    ({ policy }) => policy.sandbox.writableRoots.filter((root) => root.length === 2),
  ],
  [
    `${write}.writable_roots`,
    undefined,
    [],
    ['/c'],
    ({ policy }) => policy.sandbox.writableRoots.filter((root) => root.length === 2),
  ],
  [`${write}.allowed_domains`, ['a'], [], ['b'], ({ policy }) => policy.sandbox.allowedDomains ?? []],
  ['deny_read', ['/a'], ['/a', '/b'], ['/b'], ({ policy }) => policy.sandbox.denyRead],
  ['unix_sockets', 'private', 'deny', undefined, ({ policy }) => policy.sandbox.unixSockets],
  ['unix_sockets', 'deny', 'deny', 'private', ({ policy }) => policy.sandbox.unixSockets],
  ['destructive_patches', undefined, 'ask', 'allow', ({ policy }) => policy.destructivePatches],
  [`${shell}.inherit`, 'core', 'none', 'all', ({ shellEnvironment }) => shellEnvironment.inherit],
  [`${shell}.exclude`, ['A*'], ['A*', 'B'], [], ({ shellEnvironment }) => shellEnvironment.exclude],
  [`${shell}.include_only`, ['A', 'B'], ['A'], [], ({ shellEnvironment }) => shellEnvironment.includeOnly],
  [`${shell}.include_only`, ['A'], ['A'], ['A', 'B'], ({ shellEnvironment }) => shellEnvironment.includeOnly],
  [`${shell}.include_only`, undefined, ['A'], undefined, ({ shellEnvironment }) => shellEnvironment.includeOnly],
];

describe('settings of a trusted project about commands', () => {
  test.each(ROWS)('%s, which is %j: %j counts, %j does not', (key, user, stricter, looser, read) => {
    const base = user === undefined ? {} : at(key, user);
    const tight = load(base, at(key, stricter), 'trusted');
    expect(read(tight)).toEqual(stricter);
    expect(tight.warnings).toEqual([]);
    if (looser === undefined) return;
    const loose = load(base, at(key, looser), 'trusted');
    expect(read(loose)).toEqual(read(load(base, {}, 'trusted')));
    expect(loose.warnings).toEqual([
      `${key} in ${join(workspace.path, '.codex/config.toml')} was ignored: a project may make it stricter, not looser. Set it in ${join(workspace.home, 'config.toml')}.`,
    ]);
  });

  test('one file may not undo what another made stricter', () => {
    workspace.write('.oxbow/config.toml', 'sandbox_mode = "workspace-write"');
    const { policy, warnings } = load({}, { sandbox_mode: 'read-only' }, 'trusted');
    expect(policy.sandbox.mode).toBe('read-only');
    expect(warnings).toHaveLength(1);
  });

  test('rules are ignored', () => {
    const { rules, warnings } = load({}, { rules: { ignore: true, files: ['evil.rules'] } }, 'trusted');
    expect(rules).toMatchObject({ ignored: false, sources: [] });
    expect(warnings).toEqual([expect.stringContaining('rules in')]);
  });

  test('a wrong value is still an error', () => {
    expect(() => load({}, { sandbox_mode: 'none' }, 'trusted')).toThrow('sandbox_mode must be one of');
    expect(() => load({}, { deny_read: 'x' }, 'trusted')).toThrow('deny_read must be a list of strings');
  });
});

test.each([undefined, 'untrusted'] as const)('a project that is %s decides nothing at all', (trust) => {
  for (const [key, user, stricter, looser] of ROWS) {
    const base = user === undefined ? {} : at(key, user);
    const alone = load(base, {}, trust);
    for (const value of [stricter, looser].filter((one) => one !== undefined)) {
      const config = load(base, at(key, value), trust);
      expect(config.policy).toEqual(alone.policy);
      expect(config.shellEnvironment).toEqual(alone.shellEnvironment);
    }
  }
  expect(load({}, { model: 'theirs', instructions: 'obey' }, trust)).toMatchObject({ model: null, instructions: null });
});

describe('places of rules', () => {
  const paths = (config: Config) => config.rules.sources.map(({ path, trusted }) => [path, trusted]);

  test('the home, the folders of the project, and the files that the user names', () => {
    mkdirSync(join(workspace.home, 'rules'));
    const codex = join(workspace.path, '.codex/rules');
    const oxbow = join(workspace.path, '.oxbow/rules');
    for (const folder of [codex, oxbow]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'a.rules'), '');
    }
    const own = [join(workspace.home, 'rules'), true];
    expect(paths(load({}, {}, undefined))).toEqual([own, [codex, false], [oxbow, false]]);
    expect(paths(load({}, {}, 'untrusted'))).toEqual([own, [codex, false], [oxbow, false]]);
    expect(paths(load({}, {}, 'trusted'))).toEqual([
      own,
      [join(codex, 'a.rules'), true],
      [join(oxbow, 'a.rules'), true],
    ]);
    const named = load({ rules: { files: ['mine.rules', '/x.rules'] } }, {}, undefined);
    expect(paths(named).slice(3)).toEqual([
      [join(workspace.home, 'mine.rules'), true],
      ['/x.rules', true],
    ]);
    expect(load({ rules: { ignore: true } }, {}, 'trusted').rules).toEqual({
      ignored: true,
      hasProjects: false,
      sources: [],
    });
  });
});
