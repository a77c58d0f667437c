import { execFileSync } from 'node:child_process';
import {
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
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { createTestRepository, type TestRepository } from '../../exec/git/test-repository.ts';
import { createWorktree, describeWorktree, type Worktree } from './worktree.ts';

let repository: TestRepository;
let first: string;

beforeEach(() => {
  // A shell would split this name.
  repository = createTestRepository("it's mine");
  repository.write('a.txt', 'a\n');
  repository.write('lib/b.txt', 'b\n');
  first = repository.commit('First');
});
afterEach(() => repository.dispose());

const home = () => join(repository.folder, 'home');
const options = () => ({ cwd: repository.root, home: home(), id: 'id-1', git: caller() });
const caller = () => ({ env: repository.env, untrustedFolders: [] });
const gitIn = (worktree: Worktree, ...args: string[]) => repository.git('-C', worktree.path, ...args);

describe('a worktree', () => {
  test('is a clean copy of HEAD on no branch', async () => {
    const path = join(home(), 'worktrees/id-1', "it's mine");
    const worktree = await createWorktree(options());
    expect(worktree).toEqual({
      path,
      cwd: path,
      commit: first,
      repository: repository.root,
      note: `Working in the git worktree ${path}, at commit ${first.slice(0, 12)}.`,
    });
    expect(readFileSync(join(path, 'lib/b.txt'), 'utf8')).toBe('b\n');
    expect(gitIn(worktree, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
    expect(gitIn(worktree, 'status', '--porcelain')).toBe('');
    expect(repository.git('worktree', 'list')).toContain(path);
    expect(statSync(home()).mode & 0o777).toBe(0o700);
  });

  test('lacks uncommitted changes and says so', async () => {
    repository.write('a.txt', 'changed\n');
    repository.write('new.txt', 'new\n');
    const { path, note } = await createWorktree(options());
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a\n');
    expect(existsSync(join(path, 'new.txt'))).toBe(false);
    expect(note).toContain(`Uncommitted changes of ${repository.root} are not in it.`);
    expect(readFileSync(join(repository.root, 'a.txt'), 'utf8')).toBe('changed\n');
  });

  test('is entered at the same folder', async () => {
    const { path, cwd } = await createWorktree({ ...options(), cwd: join(repository.root, 'lib') });
    expect(cwd).toBe(join(path, 'lib'));
  });

  test.each<[string, () => void]>([
    ['is missing', () => {}],
    ['is a file', () => repository.write('deep', '')],
    ['is a link', () => symlinkSync('/', join(repository.root, 'deep'))],
  ])('is entered at the top when the folder %s in the commit', async (_, prepare) => {
    prepare();
    repository.commit('Second');
    rmSync(join(repository.root, 'deep'), { force: true });
    mkdirSync(join(repository.root, 'deep'));
    const worktree = await createWorktree({ ...options(), cwd: join(repository.root, 'deep') });
    expect(worktree.cwd).toBe(worktree.path);
    expect(worktree.note).toContain('That commit has no folder deep/, so the work starts at the top.');
  });

  test('can be made inside another worktree', async () => {
    const { cwd } = await createWorktree(options());
    const second = await createWorktree({ ...options(), cwd, id: 'id-2' });
    expect(second.path).toBe(join(home(), 'worktrees/id-2', "it's mine"));
    expect(second.commit).toBe(first);
  });
});

describe('no worktree is made', () => {
  test('outside a repository', async () => {
    const cwd = repository.folder;
    await expect(createWorktree({ ...options(), cwd })).rejects.toThrow(
      new UserError('not_found', `${cwd} is not in a git repository.`),
    );
    expect(existsSync(home())).toBe(false);
  });

  test('without a commit', async () => {
    repository.git('checkout', '--quiet', '--orphan', 'other');
    await expect(createWorktree(options())).rejects.toThrow(
      new UserError('not_found', `The git repository ${repository.root} has no commits yet. Make one first.`),
    );
  });

  test('when the id is taken', async () => {
    const { path } = await createWorktree(options());
    await expect(createWorktree(options())).rejects.toThrow(
      /^The folder for the worktree could not be made: there is one already/,
    );
    expect(existsSync(join(path, 'a.txt'))).toBe(true);
  });

  test('and none is left when the checkout fails', async () => {
    const blob = repository.git('rev-parse', 'HEAD:a.txt');
    rmSync(join(repository.root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    await expect(createWorktree(options())).rejects.toThrow(/^git reset failed in .*unable to read/s);
    expect(readdirSync(join(home(), 'worktrees'))).toEqual([]);
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  test('and none is left after an interrupt', async () => {
    const reached = join(repository.folder, 'reached');
    const slow = `#!/bin/sh\ncase "$*" in *" reset "*) touch '${reached}'; sleep 600;; esac\nPATH='${repository.env.PATH}' exec git "$@"\n`;
    mkdirSync(join(repository.folder, 'bin'));
    writeFileSync(join(repository.folder, 'bin/git'), slow, { mode: 0o755 });
    const interrupt = new AbortController();
    const env = { ...repository.env, PATH: `${join(repository.folder, 'bin')}:${repository.env.PATH}` };
    const asked = { ...options(), git: { ...caller(), env }, signal: interrupt.signal };
    const ended = expect(createWorktree(asked)).rejects.toThrow('enough');
    await expect.poll(() => existsSync(reached), { timeout: 20_000 }).toBe(true);
    interrupt.abort(new Error('enough'));
    await ended;
    expect(readdirSync(join(home(), 'worktrees'))).toEqual([]);
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1);
  });
});

describe('the state of a worktree', () => {
  const describeIt = (worktree: Worktree) => describeWorktree(worktree, { git: caller() });

  /** Runs the command that follows a label, as the user would. */
  function follow(text: string, label: string): string {
    const command =
      text
        .split('\n')
        .find((line) => line.startsWith(label))
        ?.slice(label.length) ?? 'false';
    return execFileSync('/bin/sh', ['-c', command], { cwd: '/', env: repository.env, encoding: 'utf8', stdio: 'pipe' });
  }

  test('may be unchanged', async () => {
    const worktree = await createWorktree(options());
    const state = await describeIt(worktree);
    expect(state).toMatchObject({ changed: false, commits: 0 });
    expect(state.text.split('\n')).toEqual([
      `The git worktree ${worktree.path} has no changes.`,
      expect.stringMatching(/^To remove it: git -C .* worktree remove /),
    ]);
    follow(state.text, 'To remove it: ');
    expect(existsSync(worktree.path)).toBe(false);
  });

  test('has commands to look at changes, merge them and remove the worktree', async () => {
    // A plain diff could not be applied under these settings.
    repository.git('config', 'diff.noprefix', 'true');
    repository.git('config', 'color.ui', 'always');
    const worktree = await createWorktree(options());
    writeFileSync(join(worktree.path, 'a.txt'), 'changed\n');
    writeFileSync(join(worktree.path, 'new.bin'), Buffer.from([0, 1, 2]));
    rmSync(join(worktree.path, 'lib/b.txt'));

    const { changed, commits, text } = await describeIt(worktree);
    expect([changed, commits]).toEqual([true, 0]);
    expect(text).toContain('has uncommitted changes.');
    expect(follow(text, 'To look at it: ')).toContain('changed');
    follow(text, 'To merge it: ');
    expect(readFileSync(join(repository.root, 'a.txt'), 'utf8')).toBe('changed\n');
    expect(readFileSync(join(repository.root, 'new.bin'))).toEqual(Buffer.from([0, 1, 2]));
    expect(existsSync(join(repository.root, 'lib/b.txt'))).toBe(false);
    follow(text, 'To remove it: ');
    expect(existsSync(worktree.path)).toBe(false);
  });

  test('has commands to look at commits, merge them and remove the worktree', async () => {
    const worktree = await createWorktree(options());
    for (const content of ['one\n', 'two\n']) {
      writeFileSync(join(worktree.path, 'a.txt'), content);
      gitIn(worktree, 'commit', '--quiet', '--all', '-m', `Write ${content}`);
    }
    const { changed, commits, text } = await describeIt(worktree);
    expect([changed, commits]).toEqual([false, 2]);
    expect(text).toContain('has 2 new commits.');
    expect(follow(text, 'To look at it: ')).toContain('Write two');
    follow(text, 'To merge it: ');
    expect(repository.git('log', '-1', '--format=%s')).toBe('Write two');
    follow(text, 'To remove it: ');
    expect(existsSync(worktree.path)).toBe(false);
  });

  test('has commands that merge commits and changes together', async () => {
    const worktree = await createWorktree(options());
    writeFileSync(join(worktree.path, 'a.txt'), 'committed\n');
    gitIn(worktree, 'commit', '--quiet', '--all', '-m', 'Second');
    writeFileSync(join(worktree.path, 'new.txt'), 'new\n');
    const { changed, commits, text } = await describeIt(worktree);
    expect([changed, commits]).toEqual([true, 1]);
    expect(text).toContain('has 1 new commit and uncommitted changes.');
    follow(text, 'To merge it: ');
    expect(readFileSync(join(repository.root, 'a.txt'), 'utf8')).toBe('committed\n');
    expect(readFileSync(join(repository.root, 'new.txt'), 'utf8')).toBe('new\n');
  });
});
