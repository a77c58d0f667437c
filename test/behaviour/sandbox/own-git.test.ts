import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { canBecomeOrdinary, createOrdinaryUser } from '../network/ordinary-user.ts';
import { BACKENDS_AND_NONE } from './backends.ts';

/** The workspace and the home lie below /tmp. */
const CONFIG = { sandbox_mode: 'read-only', sandbox_workspace_write: { exclude_slash_tmp: true } };
const PERSON = ['-c', 'user.name=n', '-c', 'user.email=e@example.org', '-c', 'protocol.file.allow=always'];

/** A repository whose settings may name programs. Each program leaves its name in a file outside. */
interface Trap extends Scene {
  readonly root: string;
  git(...args: string[]): string;
  /** Returns the command of a program with this name. */
  program(name: string): string;
  /** Returns the names of the programs that ran. */
  ran(): string[];
}

async function trap(): Promise<Trap> {
  const s = await scene(() => reply(say('{"findings":[],"overall_correctness":"patch is correct"}')));
  const { path: root, home } = s.workspace;
  const traces = join(home, 'traces');
  const program = join(home, 'program');
  writeFileSync(program, `#!/bin/sh\necho "$1" >> '${traces}'\ncat\n`, { mode: 0o755 });
  const env = { ...process.env, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]) =>
    execFileSync('git', [...PERSON, '-C', root, ...args], { env, encoding: 'utf8', stdio: 'pipe' }).trim();
  rmSync(join(root, '.git'), { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  s.workspace.write('a.txt', 'one\n');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'First');
  git('branch', 'base');
  s.workspace.write('b.txt', 'one\n');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'Second');
  return {
    ...s,
    root,
    git,
    program: (name) => `${program} ${name}`,
    ran: () => (existsSync(traces) ? readFileSync(traces, 'utf8').trim().split('\n') : []),
  };
}

/** Settings whose value is a command that git runs, and what makes git run it. */
function armAll({ root, git, program, workspace }: Trap): void {
  const commands = `core.fsmonitor core.pager core.sshCommand core.editor core.askPass core.gitProxy credential.helper
    diff.external diff.d.textconv diff.d.command merge.d.driver gpg.program filter.f.clean filter.f.smudge
    filter.f.process filter.Two.clean filter.Two.smudge uploadpack.packObjectsHook pager.status pager.diff pager.log
    pager.rev-parse hook.x.command alias.rev-parse alias.status sequence.editor interactive.diffFilter`;
  const settings = commands.split(/\s+/).map((key) => [key, program(key)] as const);
  const others = ['filter.f.required', 'log.showSignature', 'submodule.recurse', 'status.submoduleSummary'];
  writeSettings(root, [...settings, ...others.map((key) => [key, 'true'] as const), ['hook.x.event', 'post-checkout']]);
  const hooks = join(workspace.home, 'hooks');
  mkdirSync(hooks);
  for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction'])
    writeFileSync(join(hooks, hook), `#!/bin/sh\n${program(hook)}\n`, { mode: 0o755 });
  git('config', 'core.hooksPath', hooks);
  // Settings for worktrees alone.
  writeFileSync(
    join(root, '.git/late'),
    `[filter "late"]\n\tsmudge = ${program('late')}\n\tclean = ${program('late')}\n`,
  );
  git('config', 'includeIf.gitdir:**/worktrees/**.path', join(root, '.git/late'));
  writeFileSync(
    join(root, '.git/info/attributes'),
    'a.txt filter=f diff=d merge=d\nb.txt filter=Two\nc.txt filter=late\n',
  );
}

/** Adds settings of git to the file of a repository, where `git config` would be a process for each. */
function writeSettings(root: string, settings: readonly (readonly [key: string, value: string])[]): void {
  const text = settings.map(([key, value]) => {
    const [section, ...rest] = key.split('.');
    const name = rest.pop();
    return `[${section}${rest.map((part) => ` "${part}"`).join('')}]\n\t${name} = ${value}\n`;
  });
  appendFileSync(join(root, '.git/config'), text.join(''));
}

/** Makes git look into every file, since the times and sizes in its index no longer tell anything. */
function touchAll({ root, workspace }: Trap): void {
  for (const name of ['a.txt', 'b.txt']) {
    rmSync(join(root, name));
    workspace.write(name, 'two\n');
  }
}

const oxbow = (s: Scene, wrap: readonly string[], ...args: string[]) =>
  runOxbow(['exec', ...args], { ...s, wrap, config: CONFIG, env: { GIT_CONFIG_NOSYSTEM: '1' } });

describe.each(BACKENDS_AND_NONE)('under %s, git runs no program of a repository', (_, wrap) => {
  test.each([['--uncommitted'], ['--base', 'base'], ['--commit', 'main']])('for a review: %s', async (...flags) => {
    const s = await trap();
    armAll(s);
    touchAll(s);
    const result = await oxbow(s, wrap, 'review', ...flags.filter((flag) => typeof flag === 'string'));
    expect(s.ran()).toEqual([]);
    expect([result.code, result.stderr]).toEqual([0, expect.any(String)]);
    expect(s.model.requests).toHaveLength(1);
  });

  test('for a worktree', async () => {
    const s = await trap();
    s.workspace.write('c.txt', 'late\n');
    s.git('add', '--all');
    s.git('commit', '--quiet', '-m', 'Third');
    armAll(s);
    touchAll(s);
    const { code, stderr } = await oxbow(s, wrap, '--worktree', 'go');
    expect(s.ran()).toEqual([]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Working in the git worktree')]);
    expect(stderr).toMatch(/The filters (f|Two|late), (f|Two|late), (f|Two|late) did not run/);
    const [, path = ''] = /Working in the git worktree (\S+),/.exec(stderr) ?? [];
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('one\n');
    expect(readFileSync(join(path, 'c.txt'), 'utf8')).toBe('late\n');
  });

  test('for missing objects of a partial clone', async () => {
    const s = await trap();
    const first = s.git('rev-parse', 'base');
    s.git('config', 'core.repositoryFormatVersion', '1');
    s.git('config', 'extensions.partialClone', 'origin');
    s.git('config', 'remote.origin.url', s.root);
    s.git('config', 'remote.origin.promisor', 'true');
    s.git('config', 'remote.origin.uploadpack', s.program('uploadpack'));
    renameSync(join(s.root, '.git/objects', first.slice(0, 2), first.slice(2)), join(s.workspace.home, 'missing'));
    await oxbow(s, wrap, 'review', '--base', 'base');
    await oxbow(s, wrap, 'review', '--commit', first);
    expect(s.ran()).toEqual([]);
  });

  test('in a submodule whose .git a command replaced', async () => {
    const s = await trap();
    const library = join(s.workspace.home, 'library');
    execFileSync('git', ['clone', '--quiet', s.root, library], { stdio: 'ignore' });
    s.git('submodule', '--quiet', 'add', library, 'm');
    s.git('commit', '--quiet', '-m', 'Third');
    const own = s.git('-C', 'm', 'rev-parse', '--absolute-git-dir');
    rmSync(join(s.root, 'm/.git'));
    execFileSync('cp', ['-r', own, join(s.root, 'm/.git')]);
    s.git('config', '--file', join(s.root, 'm/.git/config'), '--unset', 'core.worktree');
    appendFileSync(join(s.root, 'm/.git/config'), `[filter "e"]\n\tclean = ${s.program('clean')}\n`);
    writeFileSync(join(s.root, 'm/.gitattributes'), '* filter=e\n');
    writeFileSync(join(s.root, 'm/a.txt'), 'two\n');
    s.workspace.write('new.txt', 'new\n');
    const result = await oxbow(s, wrap, 'review', '--uncommitted');
    expect(s.ran()).toEqual([]);
    expect(result.code).toBe(0);
  });
});

test.each(BACKENDS_AND_NONE)(
  'git that only reads can write nothing, except without a sandbox: %s',
  async (name, wrap) => {
    const s = await trap();
    const { home } = s.workspace;
    mkdirSync(join(home, 'bin'));
    const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const script = `#!/bin/sh\necho x >> '${home}/written'\nexec ${real} "$@"\n`;
    writeFileSync(join(home, 'bin/git'), script, { mode: 0o755 });
    const PATH = `${join(home, 'bin')}:${process.env.PATH}`;
    await runOxbow(['exec', 'review', '--base', 'base'], { ...s, wrap, config: CONFIG, env: { PATH } });
    expect(s.model.requests).toHaveLength(1);
    expect(existsSync(join(home, 'written'))).toBe(name === 'no sandbox');
  },
);

test.skipIf(!canBecomeOrdinary)('an ordinary user can have the changes of a repository looked for', async () => {
  const user = createOrdinaryUser();
  try {
    const own = (...args: string[]) =>
      execFileSync('setpriv', ['--reuid', '1999', '--regid', '1999', '--clear-groups', ...args], { cwd: user.folder });
    const script = `git init --quiet r && cd r && echo one > a.txt && git add . && git ${PERSON.join(' ')} commit --quiet -m First
      git config filter.f.clean 'touch ${user.folder}/ran; cat' && echo '* filter=f' > .git/info/attributes
      cp a.txt b.txt && mv b.txt a.txt`;
    own('env', '-i', 'PATH=/usr/bin:/bin', `HOME=${user.folder}`, '/bin/sh', '-c', script);
    const flags = ['-c', 'sandbox_workspace_write.exclude_slash_tmp=true', '-C', join(user.folder, 'r')];
    const { stderr } = await user.oxbow(['exec', ...flags, 'review', '--uncommitted']);
    expect(stderr).toContain(`There is nothing to review: everything in ${join(user.folder, 'r')} is committed.`);
    expect(existsSync(join(user.folder, 'ran'))).toBe(false);
  } finally {
    user.dispose();
  }
});

test('without these measures the programs of the repository run', async () => {
  const s = await trap();
  armAll(s);
  touchAll(s);
  s.git('config', 'filter.f.required', 'false');
  expect(s.git('status', '--porcelain')).not.toBe('');
  expect(s.ran()).toEqual(expect.arrayContaining(['core.fsmonitor', 'filter.f.process', 'filter.Two.clean']));
});
