import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from './load-config.ts';
import { mainWorktreeOf } from './main-worktree.ts';

let folder: string;
let main: string;
let linked: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-worktree-')));
  [main, linked] = [join(folder, 'main'), join(folder, 'linked')];
  mkdirSync(main);
  git(main, 'init', '-q');
  git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(main, 'worktree', 'add', '-q', '--detach', linked);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(cwd: string, ...args: string[]): void {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
  };
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], { cwd, env, stdio: 'pipe' });
}

const record = (...names: string[]) => join(main, '.git/worktrees/linked', ...names);

describe('a linked worktree', () => {
  test('has a main worktree', () => {
    expect(mainWorktreeOf(linked)).toBe(main);
    expect(mainWorktreeOf(main)).toBeUndefined();
    expect(mainWorktreeOf(folder)).toBeUndefined();
  });

  test('has it also with relative paths, and through a link to its folder', () => {
    writeFileSync(join(linked, '.git'), 'gitdir: ../main/.git/worktrees/linked\n');
    writeFileSync(record('gitdir'), '../../../../linked/.git\n');
    symlinkSync(linked, join(folder, 'link'));
    expect(mainWorktreeOf(linked)).toBe(main);
    expect(mainWorktreeOf(join(folder, 'link'))).toBe(main);
  });

  test('has none after it was moved by hand, until git repairs the record', () => {
    const moved = join(folder, 'moved');
    renameSync(linked, moved);
    expect(mainWorktreeOf(moved)).toBeUndefined();
    git(main, 'worktree', 'repair', moved);
    expect(mainWorktreeOf(moved)).toBe(main);
  });

  test('has none where the main repository is bare', () => {
    const bare = join(folder, 'bare.git');
    git(folder, 'clone', '-q', '--bare', main, bare);
    git(bare, 'worktree', 'add', '-q', '--detach', join(folder, 'of-bare'));
    expect(mainWorktreeOf(join(folder, 'of-bare'))).toBeUndefined();
    git(main, 'config', 'core.bare', 'true');
    expect(mainWorktreeOf(linked)).toBeUndefined();
  });
});

describe('a file .git that names a trusted repository is not a worktree of it', () => {
  const evil = () => join(folder, 'evil');
  beforeEach(() => mkdirSync(evil()));

  test.each([
    ['a worktree of it', () => `gitdir: ${record()}\n`],
    ['the repository', () => `gitdir: ${join(main, '.git')}\n`],
    ['the folder of its worktrees', () => `gitdir: ${join(main, '.git/worktrees')}\n`],
    ['a record that does not exist', () => `gitdir: ${join(main, '.git/worktrees/evil')}\n`],
    ['a path that climbs', () => `gitdir: ${join(main, '.git/worktrees')}/x/../linked\n`],
  ])('if it names %s', (_, text) => {
    writeFileSync(join(evil(), '.git'), text());
    expect(mainWorktreeOf(evil())).toBeUndefined();
  });

  test('if it is a copy of a worktree, or a link to its file', () => {
    cpSync(linked, join(folder, 'copy'), { recursive: true });
    expect(mainWorktreeOf(join(folder, 'copy'))).toBeUndefined();
    symlinkSync(join(linked, '.git'), join(evil(), '.git'));
    expect(mainWorktreeOf(evil())).toBeUndefined();
  });

  test('if a record of its own names the repository as its common folder', () => {
    const own = join(evil(), '.git-records/.git/worktrees/evil');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(evil(), '.git'), `gitdir: ${own}\n`);
    writeFileSync(join(own, 'gitdir'), `${join(evil(), '.git')}\n`);
    writeFileSync(join(own, 'commondir'), `${join(main, '.git')}\n`);
    expect(mainWorktreeOf(evil())).toBeUndefined();
  });

  test('if links lead to the record', () => {
    mkdirSync(join(evil(), 'x/.git'), { recursive: true });
    symlinkSync(join(main, '.git/worktrees'), join(evil(), 'x/.git/worktrees'));
    writeFileSync(join(evil(), '.git'), 'gitdir: x/.git/worktrees/linked\n');
    expect(mainWorktreeOf(evil())).toBeUndefined();
  });

  test('if it is that of a submodule', () => {
    git(main, 'submodule', '--quiet', 'add', main, 'sub');
    expect(readFileSync(join(main, 'sub/.git'), 'utf8')).toContain('modules/sub');
    expect(mainWorktreeOf(join(main, 'sub'))).toBeUndefined();
  });
});

describe('trust', () => {
  const load = (cwd: string) => loadConfig({ cwd, env: { HOME: folder, OXBOW_HOME: join(folder, 'home') } });
  const write = (root: string, text: string) => {
    mkdirSync(join(root, '.codex'), { recursive: true });
    writeFileSync(join(root, '.codex/config.toml'), text);
  };
  const setLevels = (levels: Readonly<Record<string, string>>) => {
    mkdirSync(join(folder, 'home'), { recursive: true });
    const entries = Object.entries(levels).map(([path, level]) => `[projects."${path}"]\ntrust_level = "${level}"\n`);
    writeFileSync(join(folder, 'home/config.toml'), entries.join(''));
  };

  test('of the main worktree is that of a linked worktree, without an entry of its own', () => {
    setLevels({ [main]: 'trusted' });
    expect(load(linked)).toMatchObject({ project: { root: linked, trusted: true } });
    expect(load(linked).policy.sandbox.mode).toBe('workspace-write');
    setLevels({ [main]: 'trusted', [linked]: 'untrusted' });
    expect(load(linked).project.trusted).toBe(false);
    setLevels({ [linked]: 'trusted' });
    expect(load(main).project.trusted).toBe(false);
  });

  test('is not inherited by a file .git that someone wrote', () => {
    setLevels({ [main]: 'trusted' });
    mkdirSync(join(folder, 'evil'));
    writeFileSync(join(folder, 'evil/.git'), `gitdir: ${record()}\n`);
    expect(load(join(folder, 'evil')).project.trusted).toBe(false);
  });

  test('covers only the settings that were accepted in the main worktree', () => {
    setLevels({ [main]: 'trusted' });
    write(main, 'model = "ours"\n');
    write(linked, 'model = "ours"\n');
    // Nothing was accepted yet.
    expect(load(linked).model).not.toBe('ours');
    expect(load(main).model).toBe('ours');
    expect(load(linked)).toMatchObject({ model: 'ours', warnings: [] });
    write(linked, 'model = "theirs"\n');
    expect(load(linked).model).not.toBe('theirs');
    expect(load(linked).warnings[0]).toContain('can only tighten: new or changed since you trusted the project');
    expect(load(main).model).toBe('ours');
  });
});
