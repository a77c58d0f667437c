import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isReadOnly } from '../../../src/shell/is-read-only.ts';
import { quoteArgv } from '../../../src/shell/quote.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-hostile-')));
const repository = join(root, 'repository');
const traces = join(root, 'traces');
const env = { PATH: '/usr/bin:/bin', HOME: root, GIT_CONFIG_NOSYSTEM: '1', TERM: 'xterm' };
afterAll(() => rmSync(root, { recursive: true, force: true }));

const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, env, encoding: 'utf8' }).trim();

/** Settings that name a program. */
const PROGRAMS = `core.fsmonitor core.pager core.sshCommand core.editor diff.external diff.all.textconv gpg.program
  filter.all.clean filter.all.smudge filter.all.process pager.remote pager.branch pager.symbolic-ref pager.rev-parse
  pager.status`.split(/\s+/);

function makeRepository(): void {
  mkdirSync(join(root, 'hooks'), { recursive: true });
  mkdirSync(repository);
  const program = join(root, 'program');
  writeFileSync(program, `#!/bin/sh\necho "$*" >> '${traces}'\n`, { mode: 0o755 });
  for (const hook of ['post-index-change', 'reference-transaction']) {
    writeFileSync(join(root, 'hooks', hook), `#!/bin/sh\necho ${hook} >> '${traces}'\n`, { mode: 0o755 });
  }
  git('init', '-q', '-b', 'main');
  writeFileSync(join(repository, 'file'), 'one\n');
  git('add', '.');
  const commit = (message: string) =>
    git('-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-q', '--allow-empty', '-m', message);
  commit('first');
  commit('second');
  const first = git('rev-parse', 'HEAD~1');
  writeFileSync(join(repository, '.gitattributes'), '* diff=all filter=all\n');
  writeFileSync(join(repository, 'file'), 'two\n');
  for (const key of PROGRAMS) git('config', key, `${program} ${key}`);
  git('config', 'core.hooksPath', join(root, 'hooks'));
  git('config', 'log.showSignature', 'true');
  // A remote that is asked for a missing object.
  git('config', 'core.repositoryFormatVersion', '1');
  git('config', 'extensions.partialClone', 'origin');
  git('config', 'remote.origin.url', repository);
  git('config', 'remote.origin.promisor', 'true');
  git('config', 'remote.origin.uploadpack', `${program} uploadpack`);
  renameSync(join(repository, '.git/objects', first.slice(0, 2), first.slice(2)), join(root, 'missing'));
}

makeRepository();

/** Returns the programs that the repository started, with and without a terminal. */
function startedBy(argv: readonly string[]): string {
  rmSync(traces, { force: true });
  const options = { cwd: repository, env, timeout: 20_000 };
  spawnSync(argv[0] ?? '', argv.slice(1), options);
  spawnSync('/usr/bin/script', ['-qec', quoteArgv(argv), '/dev/null'], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return existsSync(traces) ? readFileSync(traces, 'utf8') : '';
}

test.each([
  'git --version',
  'git branch --show-current',
  'git rev-parse HEAD',
  'git rev-parse --short HEAD',
  'git rev-parse --abbrev-ref HEAD',
  'git rev-parse --symbolic-full-name HEAD',
  'git rev-parse --verify HEAD',
  'git rev-parse --show-toplevel',
  'git rev-parse --show-prefix --show-cdup --git-dir --git-common-dir',
  'git rev-parse --is-inside-work-tree --is-inside-git-dir --is-bare-repository',
])('a hostile repository cannot start anything through %s, which is read-only', (line) => {
  expect(isReadOnly(line.split(' '))).toBe(true);
  expect(startedBy(line.split(' '))).toBe('');
});

test.each([
  ['git status --short', 'core.fsmonitor'],
  ['git diff', 'filter.all.process'],
  ['git diff --no-ext-diff --no-textconv', 'core.fsmonitor'],
  ['git ls-files', 'core.fsmonitor'],
  ['git grep one', 'core.fsmonitor'],
  ['git blame file', 'diff.all.textconv'],
  ['git --no-pager log --oneline', 'uploadpack'],
  ['git show HEAD', 'core.pager'],
  ['git branch --list', 'pager.branch'],
  ['git remote -v', 'pager.remote'],
  ['git symbolic-ref HEAD', 'pager.symbolic-ref'],
  ['git rev-parse HEAD~2', 'uploadpack'],
])('%s is not read-only, since a hostile repository starts %s through it', (line, trace) => {
  expect(isReadOnly(line.split(' '))).toBe(false);
  expect(startedBy(line.split(' '))).toContain(trace);
});
