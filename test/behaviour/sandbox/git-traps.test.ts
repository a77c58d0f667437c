import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFull, sampled } from '../../harness/runs.ts';
import type { Report } from './agent.ts';
import { createGround, type Ground, hasProgram, PATH, PEOPLE, type Person } from './run-agent.ts';

const canTest = process.platform === 'linux' && ['perl', 'git'].every(hasProgram);

let ground: Ground;
let made = 0;
beforeAll(() => {
  if (canTest) ground = createGround();
});
// The folders hold many small files.
afterAll(() => ground?.dispose(), 60_000);

interface Repository {
  readonly workspace: string;
  /** A folder that commands may not write to, with files of the user. */
  readonly outside: string;
  /** Runs a script as the user, outside any sandbox. */
  run(script: string): string;
  /** Runs commands one after the other under Landlock. */
  agent(...scripts: string[]): Promise<Report>;
}

const SETUP = `set -e
git init -q -b main; git config user.name U; git config user.email u@example.org; git config commit.gpgsign false
for n in 1 2 3; do echo $n > file; git add file; git commit -qm "commit $n"; done
git branch other HEAD~1`;

function runAs({ id }: Person, cwd: string, env: Readonly<Record<string, string>>, script: string): string {
  const options = { cwd, env, uid: id, gid: id, encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync('/bin/bash', ['-c', script], options);
  return stdout + stderr;
}

function original(person: Person): string {
  const folder = ground.folder(person, `original-${person.id}`);
  runAs(person, folder, { PATH, HOME: folder, LC_ALL: 'C' }, SETUP);
  return folder;
}

/** A repository of each person that is only copied, since making one takes a dozen processes. */
const originals = new Map<Person, string>();

function repositoryOf(person: Person): Repository {
  if (!originals.has(person)) originals.set(person, original(person));
  const name = `r-${++made}`;
  const workspace = ground.folder(person, name, 'w');
  const outside = ground.folder(person, name, 'outside');
  const env = { PATH, HOME: outside, OUTSIDE: outside, GIT_EDITOR: 'true', LC_ALL: 'C' };
  const run = (script: string) => runAs(person, workspace, env, script);
  spawnSync('cp', ['-a', `${originals.get(person)}/.`, workspace]);
  for (const file of ['bashrc', 'empty']) {
    writeFileSync(join(outside, file), 'original\n');
    chownSync(join(outside, file), person.id, person.id);
  }
  mkdirSync(join(outside, 'folder'));
  chownSync(join(outside, 'folder'), person.id, person.id);
  return {
    workspace,
    outside,
    run,
    agent(...scripts) {
      const policy = { mode: 'workspace-write', writableRoots: [workspace], network: false } as const;
      const [argv = [], ...later] = scripts.map((script) => ['/bin/bash', '-c', script]);
      return ground.run(person, { policy, sandbox: 'landlock', cwd: workspace, argv, later, env });
    },
  };
}

/** The work of the user after the command, with every part of git that a trap may aim at. */
const LATER = `git status; git rebase --continue; git am --continue; git cherry-pick --continue; git checkout -q -f main
echo more >> file; git commit -qam more; git commit -q --allow-empty -m again; git stash; git fetch . ; git log -1; git gc -q
git bisect start main main~2 >/dev/null; git bisect visualize --oneline; git bisect reset; git worktree prune; git rerere gc; true`;

const REBASE = `GIT_SEQUENCE_EDITOR='f() { printf "break\\nEXEC\\n" | cat - "$1" > t && mv t "$1"; }; f' git rebase -i HEAD~1`;

const TRAPS: readonly [name: string, script: string][] = [
  ['a rebase that runs a program', REBASE.replace('EXEC', 'exec touch "$OUTSIDE/escaped"')],
  ['a rebase that runs a program, in short', REBASE.replace('EXEC', '\\tx touch "$OUTSIDE/escaped"')],
  ['a rebase with a strategy of its own', `${REBASE.replace('EXEC', 'noop')}; echo evil > .git/rebase-merge/strategy`],
  ['a rebase behind a link', `${REBASE.replace('EXEC', 'noop')}; mv .git/rebase-merge r; ln -s ../r .git/rebase-merge`],
  ['a list of commits behind a link', `mkdir .git/sequencer; echo 'pick 1' > s; ln -s ../../s .git/sequencer/todo`],
  ['a list of names for a shell', `git bisect start; echo '; touch "$OUTSIDE/escaped"' > .git/BISECT_NAMES`],
  ['a message that is a link', 'ln -sf "$OUTSIDE/bashrc" .git/COMMIT_EDITMSG'],
  ['a message that is a link to the settings', 'ln -sf config .git/COMMIT_EDITMSG'],
  ['a message that is another name of the settings', 'ln -f .git/config .git/COMMIT_EDITMSG'],
  ['a log that is a link', 'ln -sf "$OUTSIDE/bashrc" .git/logs/HEAD'],
  ['the log of a branch that is a link', 'ln -sf "$OUTSIDE/bashrc" .git/logs/refs/heads/main'],
  ['a folder of logs that is a link', 'rm -r .git/logs; ln -s "$OUTSIDE/folder" .git/logs'],
  ['an index that is a link', 'ln -sf "$OUTSIDE/bashrc" .git/index'],
  ['a branch that is a link', 'ln -sf "$OUTSIDE/bashrc" .git/refs/heads/main'],
  ['a stash that is a link', 'ln -s "$OUTSIDE/empty" .git/refs/stash'],
  ['packed branches that are a link', 'ln -sf "$OUTSIDE/bashrc" .git/packed-refs'],
  ['fetched commits that are a link', 'ln -sf "$OUTSIDE/bashrc" .git/FETCH_HEAD'],
  ['packed objects that are a link', 'rmdir .git/objects/pack; ln -s "$OUTSIDE/folder" .git/objects/pack'],
  [
    'the folder of some objects that is a link',
    'for n in {0..9}{0..9}; do ln -s "$OUTSIDE/folder" .git/objects/$n; done',
  ],
  ['resolutions that are a link', 'mkdir -p .git/rr-cache; ln -s "$OUTSIDE/folder" .git/rr-cache/0'],
  [
    'settings of a worktree',
    `git config extensions.worktreeConfig true; git config --worktree core.fsmonitor 'touch "$OUTSIDE/escaped"'`,
  ],
  [
    'settings from another folder',
    `cp -r .git g; git -C g config core.fsmonitor 'touch "$OUTSIDE/escaped"'; echo ../g > .git/commondir`,
  ],
  ['a filter', `git config filter.e.clean 'touch "$OUTSIDE/escaped"'; echo '* filter=e' > .git/info/attributes`],
  [
    'a remote that runs a program',
    'mkdir -p .git/remotes; echo "URL: ext::touch $OUTSIDE/escaped" > .git/remotes/origin',
  ],
  [
    'settings, and no access to them',
    `git config core.fsmonitor 'touch "$OUTSIDE/escaped"'; chmod 000 .git/hooks .git .`,
  ],
  [
    'a hook in a folder that cannot be moved',
    'mkdir .git/hooks/x; chmod 555 .git/hooks/x .git/hooks; ln -s x .git/logs/l; chmod 555 .git/logs',
  ],
];

/** Returns everything in a folder that a command must not change. */
function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${entry.isFile() ? readFileSync(path, 'utf8') : ''}`;
    })
    .toSorted();
}

const changed = (notes: readonly string[]) => notes.filter((note) => note.includes('A command changed'));

describe.skipIf(!canTest)('under Landlock', () => {
  test('most traps work without the sandbox', () => {
    const [person] = PEOPLE;
    if (person === undefined) throw new Error('nobody is here');
    const tried = sampled(TRAPS, 9);
    const worked = tried.filter(([, script]) => {
      const { workspace, outside, run } = repositoryOf(person);
      const before = JSON.stringify([contents(outside), readFileSync(join(workspace, '.git/config'), 'utf8')]);
      run(script);
      run(LATER);
      run('chmod 700 . .git');
      return JSON.stringify([contents(outside), readFileSync(join(workspace, '.git/config'), 'utf8')]) !== before;
    });
    expect(worked.length).toBeGreaterThan(tried.length * 0.45);
  });

  describe.each(PEOPLE)('by $name', (person) => {
    // Each trap is tried by one of the people, or by all where every sample is wanted.
    const isTried = (_: unknown, at: number) => isFull() || at % PEOPLE.length === PEOPLE.indexOf(person);
    test.each(TRAPS.filter(isTried))('a trap in .git is gone before the user runs git: %s', async (_, script) => {
      const { workspace, outside, run, agent } = repositoryOf(person);
      const before = [contents(outside), readFileSync(join(workspace, '.git/config'), 'utf8')];
      const report = await agent(script);
      expect(changed(report.notes), report.text).toHaveLength(1);
      const said = run(LATER);
      expect([contents(outside), readFileSync(join(workspace, '.git/config'), 'utf8')], said).toEqual(before);
      expect(run('git log -1 --format=%s; git fsck 2>&1')).toMatch(/^again\n/);
    });

    test('everyday work with git stays', async () => {
      const { run, agent } = repositoryOf(person);
      const { text, notes } = await agent(`set -e
        echo x >> file; git add file; git commit -qm four; git checkout -q -b topic; echo y > new; git add new; git commit -qm five
        git checkout -q main; git merge -q --no-ff -m merged topic; git tag v1; echo z >> file; git stash -q; git stash pop -q
        git checkout -q -- file; git rebase -q --no-ff HEAD~1; git cherry-pick --allow-empty --keep-redundant-commits other >/dev/null || git cherry-pick --abort
        git rebase -x true HEAD~1 >/dev/null 2>&1; echo done`);
      expect(text).toMatch(/done\n$/);
      expect(changed(notes)).toEqual([]);
      expect(run('git status --short; git log -3 --format=%s; git stash list')).toContain('five');
    });

    test('an operation that waits for a decision goes on in the next command', async () => {
      const { run, agent } = repositoryOf(person);
      run('git checkout -q other; echo theirs > file; git commit -qam theirs');
      const report = await agent(
        'git rebase main; ls .git/rebase-merge',
        'echo both > file; git add file; git rebase --continue && echo rebased',
        'git checkout -q main; echo ours > file; git commit -qam ours; git cherry-pick other; ls .git/CHERRY_PICK_HEAD',
        'echo picked > file; git add file; git cherry-pick --continue; git bisect start HEAD HEAD~2',
        'git bisect good; git bisect reset; git status',
      );
      expect(report.text).toContain('git-rebase-todo');
      expect(report.outputs?.[1]).toContain('rebased');
      expect(report.outputs?.[4]).toContain('nothing to commit');
      expect(changed(report.notes)).toEqual([]);
    });

    test('a rebase of the user that runs programs goes on', async () => {
      const { run, agent } = repositoryOf(person);
      run(
        'git checkout -q other; echo theirs > file; git commit -qam theirs; git rebase -x "echo tested" -x "echo twice" main',
      );
      const report = await agent('echo both > file; git add file; git rebase --continue');
      expect(report.text).toContain('tested\n');
      expect(changed(report.notes)).toEqual([]);
      expect(run('git status')).not.toContain('rebase');
    });

    test('no further command runs after a change that cannot be undone', async () => {
      const { agent } = repositoryOf(person);
      const { notes, outputs = [] } = await agent('rm -rf .git', 'echo ran', 'echo ran');
      const next = outputs.slice(1);
      expect(notes.at(-1)).toContain('could not be put back');
      for (const text of next) expect(text).toContain('no further command of this thread runs');
      expect(next).toHaveLength(2);
    });
  });
});
