import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isReadOnly } from '../../../src/shell/is-read-only.ts';
import { splitCommands } from '../../../src/shell/split-commands.ts';
import { runs } from '../../harness/runs.ts';
import { commandLine } from './command-lines.ts';
import { createScratchTree, type ScratchTree } from './scratch-tree.ts';

const SHELLS = ['bash', 'dash'] as const;

/** Runs each argument as `-c`, one after the other. */
const RUN_ALL = 'shell=$1; shift; for line; do "$shell" -c "$line" </dev/null >/dev/null 2>&1; done; wait';

function isClassifiedReadOnly(line: string): boolean {
  return splitCommands(['bash', '-c', line])?.every(isReadOnly) ?? false;
}

function run(tree: ScratchTree, shell: string, lines: readonly string[]): void {
  const env = { PATH: '/usr/bin:/bin', HOME: tree.home, TMPDIR: tree.temp, CMD: 'touch new' };
  const result = spawnSync('bash', ['-c', RUN_ALL, 'all', shell, ...lines], { cwd: tree.cwd, env, timeout: 60_000 });
  expect(result.status).toBe(0);
}

/** Returns the lines that change something, each in a tree of its own. */
function spoilers(shell: string, lines: readonly string[]): string[] {
  return lines.filter((line) => {
    const tree = createScratchTree();
    const before = tree.snapshot();
    run(tree, shell, [line]);
    const changed = tree.snapshot() !== before;
    tree.dispose();
    return changed;
  });
}

test.each(SHELLS)('in %s, no random line that is classified as read-only changes anything', (shell) => {
  const most = runs(1200);
  const lines = [...new Set(fc.sample(commandLine, 25 * most).filter(isClassifiedReadOnly))].slice(0, most);
  expect(lines.length).toBeGreaterThan(most / 2);
  const tree = createScratchTree();
  const before = tree.snapshot();
  for (let at = 0; at < lines.length; at += 250) {
    const batch = lines.slice(at, at + 250);
    run(tree, shell, batch);
    if (tree.snapshot() !== before) expect(spoilers(shell, batch)).toEqual([]);
  }
  expect(tree.snapshot()).toBe(before);
  tree.dispose();
});

test('random lines that are not classified as read-only do change things, so the test above could fail', () => {
  const lines = fc.sample(commandLine, 400).filter((line) => !isClassifiedReadOnly(line));
  expect(spoilers('bash', lines.slice(0, 60)).length).toBeGreaterThan(3);
});

const ATTACKS = [
  'sort -o new a.txt',
  'sort a.txt -onew',
  'sort --outp=new a.txt',
  "sort -S 1k --compress-program='touch new;' a.txt -o sub/new",
  'uniq a.txt new',
  'uniq -- a.txt new',
  'find . -name a.txt -delete',
  "find . -maxdepth 0 -exec touch new ';'",
  'find . -fprint new',
  'find . -fls new',
  'sed -n "1w new" a.txt',
  'sed -i s/a/b/ a.txt',
  'sed -n 1p -i a.txt',
  "sed -n '1e touch new' a.txt",
  'echo hi > new',
  'echo hi >/dev/null >new',
  'echo hi &>new',
  'echo $(touch new)',
  'echo "`touch new`"',
  'cat <(touch new)',
  'ls; touch new',
  'ls | tee new',
  'ls & touch new',
  'ls\ntouch new',
  'ls # x\ntouch new',
  "bash -c 'ls; touch new'",
  "cd sub && t'ou'ch new",
  'A=b touch new',
  'env touch new',
  'command touch new',
  'test -v "a[\\$(touch new)]"',
  "[ -v 'a[$(touch new)]' ]",
  "printf -v 'a[$(touch new)]' x",
  'mkdir 0; cp /bin/touch 0/; export PATH=0; touch new',
  'alias ls="touch new"; shopt -s expand_aliases\nls',
  'eval touch new',
  "trap 'touch new' EXIT",
  'git init -q',
  'awk \'BEGIN { print > "new" }\'',
  'xargs touch new',
  'ls() { touch new; }; ls',
  'cat <<E\n$(touch new)\nE',
  'if touch new; then ls; fi',
];

test.each(ATTACKS)('%j is not classified as read-only', (line) => {
  expect(isClassifiedReadOnly(line)).toBe(false);
});

test('the attacks above are real', () => {
  expect(spoilers('bash', ATTACKS)).toEqual(ATTACKS);
});
