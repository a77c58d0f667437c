import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { contentOf, createSnapshotScenes, fingerprint, type SnapshotScene } from './test-snapshots.ts';

const scenes = createSnapshotScenes();
const scene = scenes.open;
afterEach(scenes.close);

function fill({ at }: SnapshotScene): void {
  mkdirSync(at('src/deep'), { recursive: true });
  mkdirSync(at('node_modules/dep'), { recursive: true });
  writeFileSync(at('.gitignore'), 'node_modules/\n*.log\n');
  writeFileSync(at('src/a.txt'), 'a\n');
  writeFileSync(at('src/deep/b.bin'), Buffer.from([0, 255, 13, 10, 254]));
  writeFileSync(at('run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(at('secret.txt'), 's\n', { mode: 0o600 });
  writeFileSync(at('empty'), '');
  symlinkSync('src/a.txt', at('link'));
  symlinkSync('/nowhere', at('dangling'));
  writeFileSync(at('node_modules/dep/index.js'), 'one');
  writeFileSync(at('debug.log'), 'log');
}

function spoil({ at }: SnapshotScene): void {
  appendFileSync(at('src/a.txt'), 'more\n');
  rmSync(at('src/deep'), { recursive: true });
  writeFileSync(at('src/deep'), 'a file where a folder was');
  chmodSync(at('run.sh'), 0o644);
  renameSync(at('secret.txt'), at('moved.txt'));
  unlinkSync(at('link'));
  symlinkSync('/etc', at('link'));
  unlinkSync(at('empty'));
  mkdirSync(at('empty/inner'), { recursive: true });
  writeFileSync(at('empty/inner/new.txt'), 'new');
  mkdirSync(at('made/by/turn'), { recursive: true });
  writeFileSync(at('made/by/turn/x'), 'x');
  writeFileSync(at('.gitignore'), 'node_modules/\n');
}

const kinds = [
  ['a repository', true],
  ['a folder that is none', false],
] as const;

describe.each(kinds)('in %s', (_, repository) => {
  test('a restore brings back files, links, modes and folders, and deletes new files', async () => {
    const s = scene({ repository });
    fill(s);
    const before = contentOf(s.root);
    const { name } = await s.keep();
    spoil(s);
    const { failed, undo } = await s.restore(name);
    expect(failed).toEqual([]);
    expect(contentOf(s.root)).toEqual(before);
    expect(undo).toMatch(/^[0-9a-f]{16}-[0-9a-f]{40}$/);
  });

  test('a restore can be undone with the snapshot that it made first', async () => {
    const s = scene({ repository });
    fill(s);
    const { name } = await s.keep();
    spoil(s);
    const spoiled = contentOf(s.root);
    const { undo } = await s.restore(name);
    await s.restore(undo ?? '');
    expect(contentOf(s.root)).toEqual(spoiled);
  });

  test('a dry run names the steps and changes nothing', async () => {
    const s = scene({ repository });
    fill(s);
    const { name } = await s.keep();
    spoil(s);
    const before = [fingerprint(s.root), fingerprint(s.home)];
    const { steps, undo } = await s.restore(name, { dryRun: true });
    expect([fingerprint(s.root), fingerprint(s.home)]).toEqual(before);
    expect(undo).toBeNull();
    const short = steps.map(
      (step) => `${step.type} ${step.path}${step.type === 'write' && step.isNew ? ' (new)' : ''}`,
    );
    expect(short.sort()).toEqual([
      'delete empty/inner/new.txt',
      'delete made/by/turn/x',
      'delete moved.txt',
      'delete src/deep',
      'mode run.sh',
      'write .gitignore',
      'write empty (new)',
      'write link',
      'write secret.txt (new)',
      'write src/a.txt',
      'write src/deep/b.bin (new)',
    ]);
  });
});

test('ignored files stay as they are, even when they or the patterns have changed', async () => {
  const s = scene();
  fill(s);
  const { name } = await s.keep();
  writeFileSync(s.at('node_modules/dep/index.js'), 'two');
  writeFileSync(s.at('node_modules/dep/more.js'), 'more');
  writeFileSync(s.at('.gitignore'), '# nothing is ignored any more\n');
  await s.restore(name);
  expect(readFileSync(s.at('.gitignore'), 'utf8')).toBe('node_modules/\n*.log\n');
  expect(readFileSync(s.at('node_modules/dep/index.js'), 'utf8')).toBe('two');
  expect(existsSync(s.at('node_modules/dep/more.js'))).toBe(true);
  expect(readFileSync(s.at('debug.log'), 'utf8')).toBe('log');
});

test('a file that is ignored by now is restored, and the undo has its contents', async () => {
  const s = scene();
  fill(s);
  const { name } = await s.keep();
  writeFileSync(s.at('src/a.txt'), 'in between\n');
  writeFileSync(s.at('.gitignore'), 'src/\n');
  const { undo } = await s.restore(name);
  expect(readFileSync(s.at('src/a.txt'), 'utf8')).toBe('a\n');
  await s.restore(undo ?? '');
  expect(readFileSync(s.at('src/a.txt'), 'utf8')).toBe('in between\n');
});

test('a tracked file that matches .gitignore is kept', async () => {
  const s = scene();
  writeFileSync(s.at('.gitignore'), '*.log\n');
  writeFileSync(s.at('kept.log'), 'tracked');
  s.git('add', '--force', '.');
  const { name } = await s.keep();
  writeFileSync(s.at('kept.log'), 'changed');
  await s.restore(name);
  expect(readFileSync(s.at('kept.log'), 'utf8')).toBe('tracked');
});

test('files that only settings of the user ignore are left alone', async () => {
  const s = scene();
  writeFileSync(join(s.env.HOME, '.gitconfig'), `[core]\n\texcludesFile = ${join(s.env.HOME, 'ignored')}\n`);
  writeFileSync(join(s.env.HOME, 'ignored'), '*.mine\n');
  writeFileSync(join(s.root, '.git/info/exclude'), '*.local\n');
  const { name } = await s.keep();
  writeFileSync(s.at('a.mine'), '');
  writeFileSync(s.at('b.local'), '');
  writeFileSync(s.at('c.other'), '');
  await s.restore(name);
  expect(readdirSync(s.root).sort()).toEqual(['.git', 'a.mine', 'b.local']);
});

test('names with line feeds, quotes and bytes that are not UTF-8 are restored', async () => {
  const s = scene();
  const bytes = (text: string) => Buffer.from(`${s.root}/${text}`, 'latin1');
  const names = ['two\nlines', '"quoted"\t', '-rf', 'bad\xff\xfe', ' ', '\\', 'a b\r', '*', ':(top)x'];
  for (const name of names) writeFileSync(bytes(name), name);
  mkdirSync(bytes('folder\xff'));
  writeFileSync(bytes('folder\xff/in\xe4'), 'x');
  const before = contentOf(s.root);
  const { name } = await s.keep();
  for (const one of names) unlinkSync(bytes(one));
  rmSync(bytes('folder\xff'), { recursive: true });
  writeFileSync(bytes('new\xff'), '');
  await s.restore(name);
  expect(contentOf(s.root)).toEqual(before);
});

test('nested repositories and submodules are left alone, and named', async () => {
  const s = scene();
  mkdirSync(s.at('nested'));
  execFileSync('git', ['init', '--quiet'], { cwd: s.at('nested'), env: s.env });
  writeFileSync(s.at('nested/file'), 'one');
  mkdirSync(s.at('module'));
  writeFileSync(s.at('module/file'), 'one');
  s.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
  const { name } = await s.keep();
  writeFileSync(s.at('nested/file'), 'two');
  writeFileSync(s.at('module/file'), 'three');
  const { left } = await s.restore(name);
  expect(left).toEqual([
    { path: 'module', reason: 'repository' },
    { path: 'nested', reason: 'repository' },
  ]);
  expect(readFileSync(s.at('nested/file'), 'utf8')).toBe('two');
  expect(readFileSync(s.at('module/file'), 'utf8')).toBe('three');
});

test('worktrees and sparse checkouts are restored like other workspaces', async () => {
  const s = scene();
  mkdirSync(s.at('in'));
  mkdirSync(s.at('out'));
  writeFileSync(s.at('in/a'), 'a');
  writeFileSync(s.at('out/b'), 'b');
  s.git('add', '.');
  s.git('commit', '--quiet', '-m', 'first');
  const root = join(s.env.HOME, 'tree');
  s.git('worktree', 'add', '--quiet', '--detach', root);
  execFileSync('git', ['sparse-checkout', 'set', 'in'], { cwd: root, env: s.env });
  expect(readdirSync(root).sort()).toEqual(['.git', 'in']);
  const workspace = { ...s.workspace, root };
  const { name } = await s.keep({ workspace });
  writeFileSync(join(root, 'in/a'), 'changed');
  writeFileSync(join(root, 'new'), '');
  const { failed } = await s.restore(name);
  expect(failed).toEqual([]);
  expect(contentOf(root)).toEqual({ 'in/': '755', 'in/a': '644 a' });
});

test('an empty folder in the place of a file makes way for it', async () => {
  const s = scene();
  writeFileSync(s.at('thing'), 'file');
  const { name } = await s.keep();
  unlinkSync(s.at('thing'));
  mkdirSync(s.at('thing'));
  const { undo } = await s.restore(name);
  expect(contentOf(s.root)).toEqual({ thing: '644 file' });
  await s.restore(undo ?? '');
  expect(contentOf(s.root)).toEqual({});
});

test('large and special files are left out and left alone', async () => {
  const s = scene();
  writeFileSync(s.at('big'), 'x'.repeat(2000));
  writeFileSync(s.at('small'), 'x');
  execFileSync('sh', ['-c', 'mkfifo "$0"', s.at('pipe')]);
  const { name, leftOut } = await s.keep({ limits: { maxFiles: 10, maxBytes: 5000, maxFileBytes: 1000 } });
  expect(leftOut).toEqual([{ path: 'big', reason: 'large' }]);
  writeFileSync(s.at('big'), 'y');
  writeFileSync(s.at('small'), 'y');
  writeFileSync(s.at('big'), 'z'.repeat(3000));
  await s.restore(name);
  expect(readFileSync(s.at('big'), 'utf8')).toBe('z'.repeat(3000));
  const stored = execFileSync('find', [join(s.home, 'snapshots'), '-type', 'f', '-size', '+1k'], { encoding: 'utf8' });
  expect(stored).toBe('');
  expect(readFileSync(s.at('small'), 'utf8')).toBe('x');
  expect(lstatSync(s.at('pipe')).isFIFO()).toBe(true);
});

test('a link that replaced a folder does not lead a restore out of the workspace', async () => {
  const s = scene();
  const outside = join(s.env.HOME, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'a.txt'), 'not yours');
  mkdirSync(s.at('src'));
  writeFileSync(s.at('src/a.txt'), 'a');
  s.git('add', '.');
  const { name } = await s.keep();
  rmSync(s.at('src'), { recursive: true });
  symlinkSync(outside, s.at('src'));
  await s.restore(name);
  expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('not yours');
  expect(readdirSync(outside)).toEqual(['a.txt']);
  expect(lstatSync(s.at('src')).isDirectory()).toBe(true);
  expect(readFileSync(s.at('src/a.txt'), 'utf8')).toBe('a');
});

test('an ignored link in place of a folder makes the files of the folder fail, and no others', async () => {
  const s = scene();
  const outside = join(s.env.HOME, 'outside');
  mkdirSync(outside);
  mkdirSync(s.at('src'));
  writeFileSync(s.at('src/a.txt'), 'a');
  writeFileSync(s.at('b.txt'), 'b');
  const { name } = await s.keep();
  rmSync(s.at('src'), { recursive: true });
  symlinkSync(outside, s.at('src'));
  writeFileSync(s.at('b.txt'), 'changed');
  writeFileSync(join(s.root, '.git/info/exclude'), 'src\n');
  const { failed } = await s.restore(name);
  expect(failed.map(({ step }) => step.path)).toEqual(['src/a.txt']);
  expect(readdirSync(outside)).toEqual([]);
  expect(readFileSync(s.at('b.txt'), 'utf8')).toBe('b');
});

test('a folder with ignored files in place of a file is not removed', async () => {
  const s = scene();
  writeFileSync(s.at('.gitignore'), '*.log\n');
  writeFileSync(s.at('thing'), 'file');
  const { name } = await s.keep();
  unlinkSync(s.at('thing'));
  mkdirSync(s.at('thing'));
  writeFileSync(s.at('thing/x.log'), 'log');
  const { failed } = await s.restore(name);
  expect(failed).toEqual([
    { step: expect.objectContaining({ path: 'thing' }), reason: expect.stringMatching(/folder with files/) },
  ]);
  expect(readFileSync(s.at('thing/x.log'), 'utf8')).toBe('log');
});

test('a damaged snapshot restores its intact files and reports the others', async () => {
  const s = scene();
  writeFileSync(s.at('a'), 'contents of a');
  writeFileSync(s.at('b'), 'contents of b');
  const { name } = await s.keep();
  unlinkSync(s.at('a'));
  unlinkSync(s.at('b'));
  const objects = join(s.home, 'snapshots', name.slice(0, 16), 'objects');
  for (const file of readdirSync(objects, { recursive: true, encoding: 'utf8' })) {
    const path = join(objects, file);
    if (lstatSync(path).isFile() && readFileSync(path, 'utf8') === 'contents of a')
      writeFileSync(path, 'Contents of a');
  }
  const { failed } = await s.restore(name);
  expect(failed).toEqual([{ step: expect.objectContaining({ path: 'a' }), reason: expect.stringMatching(/damaged/) }]);
  expect(readFileSync(s.at('b'), 'utf8')).toBe('contents of b');
  expect(readdirSync(s.root).sort()).toEqual(['.git', 'b']);
});

test('a missing snapshot and an invalid name are reported in a sentence', async () => {
  const s = scene();
  const { name } = await s.keep();
  await expect(s.restore('main')).rejects.toThrow(/not the name of a snapshot/);
  await expect(s.restore(`${'0'.repeat(16)}-${'0'.repeat(40)}`)).rejects.toThrow(/There are no snapshots/);
  await expect(s.restore(`${name.slice(0, 17)}${'0'.repeat(40)}`)).rejects.toThrow(/missing/);
  rmSync(s.root, { recursive: true });
  await expect(s.restore(name)).rejects.toThrow(/no longer there/);
});

test.skipIf(process.getuid?.() !== 0)('files that root restores belong to the owner of their folder', async () => {
  const s = scene();
  writeFileSync(s.at('a'), 'a');
  const { name } = await s.keep();
  unlinkSync(s.at('a'));
  execFileSync('chown', ['1234:1235', s.root]);
  await s.restore(name, {
    env: { ...s.env, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' },
  });
  expect(lstatSync(s.at('a'))).toMatchObject({ uid: 1234, gid: 1235 });
});
