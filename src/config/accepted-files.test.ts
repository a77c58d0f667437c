import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { createWorkspace, type TempWorkspace } from '../testing/index.ts';
import { type LoadOptions, loadConfig } from './load-config.ts';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace({ 'sub/deep/file': '' });
  trust();
});
afterEach(() => workspace.dispose());

function trust(more = ''): void {
  workspace.configure(`${more}\n[projects."${workspace.path}"]\ntrust_level = "trusted"\n`);
}

const load = (options: LoadOptions = {}) =>
  loadConfig({
    env: { HOME: '/nowhere', OXBOW_HOME: workspace.home },
    cwd: workspace.path,
    systemFile: '/nowhere',
    ...options,
  });
const rules = () => load().rules.sources.map(({ path, trusted }) => [path.slice(workspace.path.length + 1), trusted]);
const records = () => join(workspace.home, 'trust');

describe('the first load in a trusted project', () => {
  test('records its files where only the user can read them', () => {
    workspace.write('.codex/config.toml', 'model = "theirs"');
    workspace.write('.oxbow/rules/a.rules', '');
    expect(load()).toMatchObject({ model: 'theirs', warnings: [] });
    const [name = ''] = readdirSync(records());
    const file = join(records(), name);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(records()).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      project: workspace.path,
      files: { '.codex/config.toml': 'model = "theirs"', '.oxbow/rules/a.rules': '' },
    });
  });

  test('records that there are none, so that a later file is new', () => {
    load();
    workspace.write('.oxbow/rules/a.rules', 'prefix_rule(pattern=["a"])');
    expect(rules()).toEqual([['.oxbow/rules/a.rules', false]]);
  });

  test('from a folder below the root records the root', () => {
    workspace.write('.oxbow/config.toml', 'model = "theirs"');
    load({ cwd: workspace.file('sub') });
    workspace.write('.oxbow/config.toml', 'model = "other"');
    expect(load().model).toBe(null);
  });

  test('that cannot record accepts nothing, and says why', () => {
    workspace.write('.oxbow/config.toml', 'model = "theirs"');
    writeFileSync(records(), 'in the way');
    const { model, warnings } = load();
    expect(model).toBe(null);
    expect(warnings[0]).toContain(
      'can only tighten, because your trust in the project cannot be recorded: there is one already',
    );
  });

  test('does not happen in a project that is not trusted', () => {
    workspace.configure('');
    workspace.write('.oxbow/config.toml', 'model = "theirs"');
    load();
    expect(existsSync(records())).toBe(false);
  });
});

describe('a file that is new or has changed', () => {
  test('only tightens, and the accepted text counts again', () => {
    workspace.write('.oxbow/config.toml', 'model = "theirs"');
    load();
    const file = workspace.write(
      '.oxbow/config.toml',
      'model = "other"\nsandbox_mode = "read-only"\ninstructions = "x"',
    );
    const { model, policy, warnings } = load({ origins: { override: '-c', settings: 'flags', accept: 'accept' } });
    expect(model).toBe(null);
    expect(policy.sandbox.mode).toBe('read-only');
    expect(warnings).toEqual([
      `${file} can only tighten: new or changed since you trusted the project. To see the difference and accept it: accept ${workspace.path}`,
      `model, instructions in ${file} had no effect: this file can only tighten.`,
    ]);
    workspace.write('.oxbow/config.toml', 'model = "theirs"');
    expect(load()).toMatchObject({ model: 'theirs', warnings: [] });
  });

  test('cannot make the start fail', () => {
    load();
    for (const text of ['not toml', 'sandbox_mode = 5\ndeny_read = "x"', 'sandbox_workspace_write = 5']) {
      workspace.write('.oxbow/config.toml', text);
      expect(load().policy.sandbox.mode).toBe('workspace-write');
    }
  });

  test('counts by its text, not by its place', () => {
    const file = workspace.write('.oxbow/rules/a.rules', 'one');
    load();
    rmSync(file);
    workspace.write('target', 'two');
    symlinkSync('../../target', file);
    expect(rules()).toEqual([['.oxbow/rules/a.rules', false]]);
    workspace.write('target', 'one');
    expect(rules()).toEqual([['.oxbow/rules/a.rules', true]]);
  });

  test('is told from the record of another project, and a damaged record accepts nothing', () => {
    workspace.write('.oxbow/rules/a.rules', 'one');
    load();
    const [name = ''] = readdirSync(records());
    const file = join(records(), name);
    const text = readFileSync(file, 'utf8');
    for (const other of [text.replace(workspace.path, '/other'), '{', '[]', '{"files":5}']) {
      writeFileSync(file, other);
      expect(rules()).toEqual([['.oxbow/rules/a.rules', false]]);
    }
    writeFileSync(file, text);
    expect(rules()).toEqual([['.oxbow/rules/a.rules', true]]);
    chmodSync(file, 0o600);
  });

  test('that is a device or a folder is not read', () => {
    mkdirSync(workspace.file('.oxbow/rules/b.rules'), { recursive: true });
    symlinkSync('/dev/zero', workspace.file('.oxbow/rules/a.rules'));
    symlinkSync('/dev/zero', workspace.file('.oxbow/config.toml'));
    expect(rules()).toEqual([
      ['.oxbow/rules/a.rules', false],
      ['.oxbow/rules/b.rules', false],
    ]);
  });
});

test('no settings below the root loosen anything', () => {
  const values = fc.record(
    {
      sandbox_mode: fc.constantFrom('read-only', 'workspace-write', 'danger-full-access', 'odd', 5),
      approval_policy: fc.constantFrom('never', 'untrusted', 'on-request'),
      model: fc.constant('theirs'),
      instructions: fc.constant('obey'),
      deny_read: fc.constant(['/x']),
      network: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  load();
  const before = load({ cwd: workspace.file('sub/deep') });
  fc.assert(
    fc.property(
      values,
      fc.constantFrom('sub/.oxbow', 'sub/deep/.codex', '.oxbow'),
      ({ network, ...settings }, folder) => {
        const lines = Object.entries(settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
        const more = network === undefined ? '' : `[sandbox_workspace_write]\nnetwork_access = ${network}\n`;
        const file = workspace.write(`${folder}/config.toml`, lines.join('') + more);
        const { policy, model, instructions } = load({ cwd: workspace.file('sub/deep') });
        rmSync(file);
        expect({ model, instructions }).toEqual({ model: before.model, instructions: before.instructions });
        expect(['read-only', before.policy.sandbox.mode]).toContain(policy.sandbox.mode);
        expect(['untrusted', before.policy.approval]).toContain(policy.approval);
        expect(policy.sandbox.network).toBe(false);
        expect(policy.sandbox.denyRead).toEqual(settings.deny_read);
      },
    ),
    { numRuns: runs(200) },
  );
});
