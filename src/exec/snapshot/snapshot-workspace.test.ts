import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createSnapshotScenes, fingerprint, type SnapshotScene } from './test-snapshots.ts';

const scenes = createSnapshotScenes();
const scene = scenes.open;
afterEach(scenes.close);

/** Programs that not every machine has. */
const [MOUNT, UNMOUNT] = ['mount', 'umount'];
const LIMITS = { maxFiles: 100, maxBytes: 100_000, maxFileBytes: 10_000 };
const placeIn = ({ home }: SnapshotScene) => join(home, 'snapshots', readdirSync(join(home, 'snapshots'))[0] ?? '');
const objectsOf = (s: SnapshotScene) =>
  readdirSync(join(placeIn(s), 'objects'), { recursive: true, encoding: 'utf8' }).filter((name) => name.length > 3);

test('the same workspace has the same name, and nothing is stored twice', async () => {
  const s = scene();
  writeFileSync(s.at('a'), 'same');
  writeFileSync(s.at('b'), 'same');
  const first = await s.keep();
  const stored = objectsOf(s);
  expect(stored).toHaveLength(2);
  expect(await s.keep()).toEqual(first);
  expect(objectsOf(s)).toEqual(stored);
  writeFileSync(s.at('b'), 'other');
  expect((await s.keep()).name).not.toBe(first.name);
});

test('only changed files are read again, even where a change keeps size and time', async () => {
  const s = scene();
  const old = new Date('2020-01-01');
  for (const name of ['a', 'b']) {
    writeFileSync(s.at(name), 'one');
    utimesSync(s.at(name), old, old);
  }
  // The files seem old: files that changed a moment ago are always read again.
  const later = () => Date.now() + 10_000;
  const { name } = await s.keep({ now: later });
  // A file that is read again is stored again.
  rmSync(join(placeIn(s), 'objects'), { recursive: true });
  writeFileSync(s.at('b'), 'two');
  utimesSync(s.at('b'), old, old);
  await s.keep({ now: later });
  const contents = objectsOf(s).map((object) => readFileSync(join(placeIn(s), 'objects', object), 'utf8'));
  expect(contents).toContain('two');
  expect(contents).not.toContain('one');
  expect(name).toBeTruthy();
});

test('only the user can read the files and folders of the store', async () => {
  const s = scene();
  writeFileSync(s.at('a'), 'a');
  await s.keep();
  const modes = execFileSync('find', [join(s.home, 'snapshots'), '-printf', '%y%m\n'], { encoding: 'utf8' });
  expect(new Set(modes.trim().split('\n'))).toEqual(new Set(['d700', 'f600']));
});

describe('a failed snapshot has a reason', () => {
  test('too many files', async () => {
    const s = scene();
    for (let n = 0; n <= LIMITS.maxFiles; n++) writeFileSync(s.at(`f${n}`), '');
    expect(await s.tryToKeep({ limits: LIMITS })).toEqual({
      reason: 'it has more than 100 files (snapshots.max_files)',
    });
    unlinkSync(s.at('f0'));
    expect(await s.tryToKeep({ limits: LIMITS })).toHaveProperty('name');
  });

  test('too many bytes', async () => {
    const s = scene();
    for (let n = 0; n < 11; n++) writeFileSync(s.at(`f${n}`), 'x'.repeat(LIMITS.maxFileBytes - 100 + n));
    expect(await s.tryToKeep({ limits: LIMITS })).toEqual({
      reason: 'it has more than 100000 bytes (snapshots.max_bytes)',
    });
  });

  test('too slow', async () => {
    const s = scene();
    writeFileSync(s.at('a'), 'a');
    expect(await s.tryToKeep({ timeoutMs: 1 })).toEqual({ reason: 'it took longer than 1 ms (snapshots.timeout_ms)' });
  });

  test('a home folder, or one around it', async () => {
    const s = scene({ repository: false });
    const refused = { reason: expect.stringMatching(/holds your whole home folder/) };
    expect(await s.tryToKeep({ userFolder: s.root })).toEqual(refused);
    expect(await s.tryToKeep({ userFolder: join(s.root, 'me') })).toEqual(refused);
    expect(existsSync(s.home)).toBe(false);
  });

  test('no git', async () => {
    const s = scene();
    const env = { ...s.env, PATH: s.env.HOME };
    expect(await s.tryToKeep({ workspace: { ...s.workspace, env } })).toEqual({
      reason:
        'its files could not be listed: git was not found in a folder of PATH that commands cannot write to. Install it, or add its folder to PATH.',
    });
  });

  test('a repository that git cannot read', async () => {
    const s = scene();
    writeFileSync(join(s.root, '.git/config'), '[core\n');
    expect(await s.tryToKeep()).toEqual({ reason: expect.stringMatching(/^git could not list its files: .*config/) });
  });

  test('a home that cannot be written', async () => {
    const s = scene();
    writeFileSync(s.home, 'a file');
    expect(await s.tryToKeep()).toEqual({ reason: expect.stringMatching(/^it could not be stored: ENOTDIR/) });
  });

  test('an interrupted turn is not a reason: it throws', async () => {
    const s = scene();
    const stop = new AbortController();
    stop.abort(new Error('interrupted'));
    await expect(s.tryToKeep({ signal: stop.signal })).rejects.toThrow('interrupted');
    const later = new AbortController();
    const keeping = s.tryToKeep({ signal: later.signal });
    later.abort(new Error('interrupted meanwhile'));
    await expect(keeping).rejects.toThrow('interrupted meanwhile');
    expect(readdirSync(placeIn(s))).not.toContain('lock');
  });
});

test.skipIf(!canMount())('a full disk is a reason, and the unfinished snapshot is not listed', async () => {
  const s = scene();
  writeFileSync(s.at('a'), 'x'.repeat(9000));
  mkdirSync(s.home);
  execFileSync(MOUNT, ['-t', 'tmpfs', '-o', 'size=32k', 'none', s.home]);
  try {
    for (let n = 0; n < 6; n++) writeFileSync(s.at(`f${n}`), String(n).repeat(9000));
    expect(await s.tryToKeep()).toEqual({ reason: 'the disk is full' });
    expect(readdirSync(join(placeIn(s), 'objects')).filter((name) => name.startsWith('writing-'))).toEqual([]);
    expect(existsSync(join(placeIn(s), 'kept.jsonl'))).toBe(false);
  } finally {
    execFileSync(UNMOUNT, [s.home]);
  }
});

test('files that may not be read are never copied', async () => {
  const s = scene();
  mkdirSync(s.at('private'));
  writeFileSync(s.at('private/key'), 'very secret');
  writeFileSync(s.at('.env'), 'also secret');
  writeFileSync(s.at('open'), 'open');
  const barred = [s.at('private'), s.at('.env')];
  const { name } = await s.keep({ workspace: { ...s.workspace, barred } });
  const contents = objectsOf(s).map((object) => readFileSync(join(placeIn(s), 'objects', object), 'utf8'));
  expect(contents).toContain('open');
  expect(contents.join()).not.toContain('secret');
  writeFileSync(s.at('.env'), 'changed');
  await s.restore(name, { barred });
  expect(readFileSync(s.at('.env'), 'utf8')).toBe('changed');
});

test('a home inside the workspace is not part of the snapshot', async () => {
  const s = scene();
  const home = s.at('.home');
  writeFileSync(s.at('a'), 'a');
  const { name } = await s.keep({ home });
  mkdirSync(join(home, 'sessions'));
  writeFileSync(join(home, 'sessions', 'x'), 'x');
  expect((await s.keep({ home })).name).toBe(name);
  const { steps } = await s.restore(name, { home });
  expect(steps).toEqual([]);
});

test('a workspace that is reached through a link is the same workspace', async () => {
  const s = scene();
  writeFileSync(s.at('a'), 'a');
  const link = join(s.env.HOME, 'link');
  symlinkSync(s.root, link);
  const { name } = await s.keep();
  expect((await s.keep({ workspace: { ...s.workspace, root: link } })).name).toBe(name);
});

describe('several at once', () => {
  test('in one process', async () => {
    const s = scene();
    for (let n = 0; n < 50; n++) writeFileSync(s.at(`f${n}`), String(n));
    const names = await Promise.all(Array.from({ length: 8 }, async () => (await s.keep()).name));
    expect(new Set(names).size).toBe(1);
    unlinkSync(s.at('f0'));
    expect((await s.restore(names[0] ?? '')).failed).toEqual([]);
    expect(readFileSync(s.at('f0'), 'utf8')).toBe('0');
  });

  test('a lock whose process is gone is taken over', async () => {
    const s = scene();
    await s.keep();
    const gone = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
    writeFileSync(join(placeIn(s), 'lock'), JSON.stringify({ pid: gone, host: hostname(), token: 'x' }));
    expect(await s.tryToKeep()).toHaveProperty('name');
  });

  test('a lock that was left long ago is taken over, and a lock in use is waited for', async () => {
    const s = scene();
    await s.keep();
    const lock = join(placeIn(s), 'lock');
    writeFileSync(lock, JSON.stringify({ pid: process.pid, host: 'another', token: 'x' }));
    expect(await s.tryToKeep({ timeoutMs: 300 })).toEqual({ reason: expect.stringMatching(/took longer/) });
    utimesSync(lock, new Date(0), new Date(0));
    expect(await s.tryToKeep()).toHaveProperty('name');
  });
});

test('a hostile repository starts nothing, and its own .git is not touched', async () => {
  const s = scene();
  const traces = join(s.env.HOME, 'traces');
  const program = join(s.env.HOME, 'program');
  writeFileSync(program, `#!/bin/sh\necho "$*" >> '${traces}'\ncat\n`, { mode: 0o755 });
  mkdirSync(join(s.env.HOME, 'hooks'));
  for (const hook of ['post-index-change', 'reference-transaction', 'fsmonitor-watchman', 'pre-auto-gc'])
    writeFileSync(join(s.env.HOME, 'hooks', hook), `#!/bin/sh\necho ${hook} >> '${traces}'\n`, { mode: 0o755 });
  writeFileSync(s.at('file'), 'one\r\n');
  s.git('add', '.');
  s.git('commit', '--quiet', '-m', 'first');
  writeFileSync(s.at('.gitattributes'), '* filter=all diff=all text eol=lf ident working-tree-encoding=UTF-16\n');
  writeFileSync(s.at('file'), 'two $Id$\r\n');
  writeFileSync(s.at('.gitmodules'), `[submodule "m"]\n\tpath = m\n\turl = ext::${program}\n\tupdate = !${program}\n`);
  const included = join(s.root, '.git', 'included');
  writeFileSync(included, `[core]\n\tfsmonitor = ${program} included\n[pager]\n\tls-files = ${program} pager\n`);
  appendFileSync(
    join(s.root, '.git/config'),
    `[core]
	fsmonitor = ${program} fsmonitor
	hooksPath = ${join(s.env.HOME, 'hooks')}
	sshCommand = ${program} ssh
	pager = ${program} pager
	worktree = /etc
	splitIndex = true
	untrackedCache = true
[filter "all"]
	clean = ${program} clean
	smudge = ${program} smudge
	process = ${program} process
	required = true
[diff "all"]
	textconv = ${program} textconv
[diff]
	external = ${program} external
[pager]
	ls-files = true
[alias]
	ls-files = !${program} alias
[remote "origin"]
	url = ${s.root}
	promisor = true
	uploadpack = ${program} uploadpack
[include]
	path = included
[includeIf "gitdir:**"]
	path = included
`,
  );
  const before = fingerprint(join(s.root, '.git'));
  const { name } = await s.keep();
  writeFileSync(s.at('file'), 'three');
  expect((await s.restore(name)).failed).toEqual([]);
  expect(existsSync(traces)).toBe(false);
  expect(fingerprint(join(s.root, '.git'))).toEqual(before);
  expect(readFileSync(s.at('file'), 'utf8')).toBe('two $Id$\r\n');
  // Without our settings git runs the program.
  spawnSync('git', ['ls-files'], { cwd: s.root, env: s.env });
  expect(existsSync(traces)).toBe(true);
});

test('the index of the user stays as it is, even where it is out of date', async () => {
  const s = scene();
  writeFileSync(s.at('a'), 'a');
  s.git('add', '.');
  s.git('commit', '--quiet', '-m', 'first');
  utimesSync(s.at('a'), new Date(0), new Date(0));
  const before = fingerprint(join(s.root, '.git'));
  const { name } = await s.keep();
  chmodSync(s.at('a'), 0o755);
  await s.restore(name);
  expect(fingerprint(join(s.root, '.git'))).toEqual(before);
  expect(s.git('status', '--porcelain')).toBe('');
});

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-mount-'));
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', 'size=32k', 'none', folder], { stdio: 'ignore' });
    execFileSync(UNMOUNT, [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
