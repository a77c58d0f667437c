import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config/load-config.ts';
import { rulesPaths } from '../../store/files/rules-paths.ts';
import { createWorkspace, type TempWorkspace } from '../../testing/index.ts';
import { loadRules, withNetworkRules } from './load-rules.ts';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.dispose());

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const load = (overrides: string[] = [], cwd = workspace.path) =>
  loadRules(loadConfig({ env: { HOME: '/nowhere', OXBOW_HOME: workspace.home }, cwd, overrides }));
const words = (loaded: ReturnType<typeof load>) => loaded.rules?.map(({ pattern }) => pattern.join(' '));
const rule = (word: string, decision = 'allow') => `prefix_rule(pattern=["${word}"], decision="${decision}")\n`;

test('rules come from the home, the project and named files, in this order', () => {
  write(join(workspace.home, 'rules/b.rules'), rule('home-b'));
  write(join(workspace.home, 'rules/a.rules'), rule('home-a'));
  write(join(workspace.home, 'named.rules'), rule('named'));
  workspace.write('.codex/rules/x.rules', rule('project', 'prompt'));
  const named = `rules.files=["${join(workspace.home, 'named.rules')}"]`;
  expect(words(load([named]))).toEqual(['home-a', 'home-b', 'project', 'named']);
  expect(load([named, 'rules.ignore=true'])).toMatchObject({ rules: [], notices: [] });
  expect(() => load(['rules.files=["/nowhere.rules"]'])).toThrow('There is no file /nowhere.rules');
});

test('rules of one project do not apply to another', () => {
  const { project, always } = rulesPaths(workspace.home, workspace.path);
  write(project, rule('here'));
  write(always, rule('everywhere'));
  expect(words(load())).toEqual(['everywhere', 'here']);
  expect(words(load([], workspace.home))).toEqual(['everywhere']);
  expect(words(load(['rules.ignore=true']))).toEqual([]);
});

test('no kind of rule allows anything in a project that is not trusted', () => {
  const file = workspace.write(
    '.oxbow/rules/x.rules',
    `${rule('a')}${rule('b', 'forbidden')}host_executable(name="git", paths=["/evil/git"])
network_rule(host="evil.org", protocol="https", decision="allow")
network_rule(host="good.org", protocol="https", decision="deny")`,
  );
  const untrusted = load();
  expect(words(untrusted)).toEqual(['b']);
  expect(untrusted.executables).toEqual({});
  expect(untrusted.networkRules).toMatchObject([{ host: 'good.org', decision: 'forbidden' }]);
  expect(untrusted.notices).toEqual([expect.stringContaining(`Rules in ${file} that allow something were ignored`)]);
  const trusted = load([`projects."${workspace.path}".trust_level="trusted"`]);
  expect(words(trusted)).toEqual(['a', 'b']);
  expect(trusted.executables).toEqual({ git: ['/evil/git'] });
  expect(trusted.notices).toEqual([]);
});

test('a mistake is an error in a trusted project and a notice in any other', () => {
  workspace.write('.oxbow/rules/x.rules', 'nonsense');
  expect(load().notices).toEqual([expect.stringContaining('x.rules:1: expected "(" after nonsense')]);
  expect(() => load([`projects."${workspace.path}".trust_level="trusted"`])).toThrow('x.rules:1:');
});

describe('hosts', () => {
  const sandbox = { mode: 'workspace-write', writableRoots: [], network: false } as const;
  const network = (host: string, decision: 'allow' | 'prompt' | 'forbidden') =>
    ({ host, protocol: 'https', decision }) as const;

  test('allowed by rules are added, all others removed', () => {
    expect(withNetworkRules(sandbox, [])).toBe(sandbox);
    expect(withNetworkRules(sandbox, [network('a.org', 'allow')]).allowedDomains).toEqual(['a.org']);
    const rules = [network('a.org', 'allow'), network('b.org', 'forbidden'), network('c.org', 'prompt')];
    const listed = { ...sandbox, allowedDomains: ['a.org', 'B.org', 'c.org', 'd.org'] };
    expect(withNetworkRules(listed, rules).allowedDomains).toEqual(['a.org', 'd.org']);
  });
});
