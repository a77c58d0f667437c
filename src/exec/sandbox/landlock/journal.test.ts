import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProcessMark } from '../../../machine/process-mark.ts';
import { createGuard } from './guard.ts';
import { formatName, parseName } from './journal-name.ts';

let base: string;
let home: string;
let git: string;
const notes: string[] = [];
const journals = () => join(home, 'guard');
const config = () => join(git, 'config');
const guardOf = (id = 'one') => createGuard((note) => notes.push(note), { home, id });

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-journal-')));
  home = join(base, 'home');
  git = join(base, 'w', '.git');
  for (const folder of [home, join(git, 'hooks'), join(git, 'objects')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(config(), 'original');
  notes.splice(0);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Gives each journal to another owner, as if this process had been another one. */
function giveTo(owner: Partial<ProcessMark>): void {
  for (const name of readdirSync(journals())) {
    const journal = parseName(name);
    if (journal === undefined) throw new Error(`not a journal: ${name}`);
    renameSync(
      join(journals(), name),
      join(journals(), formatName({ ...journal, owner: { ...journal.owner, ...owner } })),
    );
  }
}

const DEAD = { start: '1' };

/** Leaves a journal of a process that died while its command ran, after a change of the command. */
function die(owner: Partial<ProcessMark> = DEAD): void {
  guardOf().begin([git, join(base, 'w', '.agents')], []);
  writeFileSync(config(), 'evil');
  writeFileSync(join(git, 'hooks', 'pre-commit'), 'evil');
  mkdirSync(join(base, 'w', '.agents'));
  giveTo(owner);
}

describe.skipIf(process.platform !== 'linux')('a guard with a journal', () => {
  test('restores what a killed process left, once, with notes that name it', () => {
    die();
    guardOf();
    expect(readFileSync(config(), 'utf8')).toBe('original');
    expect(readdirSync(join(git, 'hooks'))).toEqual([]);
    expect(existsSync(join(base, 'w', '.agents'))).toBe(false);
    expect(notes).toEqual([expect.stringContaining(git), expect.stringContaining('.agents')]);
    expect(notes[0]).toContain('An earlier run of Oxbow was killed');
    expect(readdirSync(journals())).toEqual([]);
    guardOf();
    expect(notes).toHaveLength(2);
  });

  test.each([
    ['this process', {}],
    ['another container', { space: 'pid:[1]' }],
    ['another machine', { boot: 'other', host: 'other' }],
  ])('leaves alone the journal of %s', (_, owner) => {
    die(owner);
    guardOf('two');
    expect(readFileSync(config(), 'utf8')).toBe('evil');
    expect(notes).toEqual([]);
  });

  test('restores after a restart of the machine, which gives disks other numbers', () => {
    die({ boot: 'earlier' });
    const [name = ''] = readdirSync(journals());
    const text = readFileSync(join(journals(), name), 'utf8');
    writeFileSync(join(journals(), name), text.replaceAll(/"mark":"\d+:/g, '"mark":"99999:'));
    guardOf();
    expect(readFileSync(config(), 'utf8')).toBe('original');
    expect(readdirSync(join(git, 'hooks'))).toEqual([]);
    expect(readdirSync(git).sort()).toEqual(['HEAD', 'config', 'hooks', 'objects']);
  });

  test('does not undo changes that no command can have made', () => {
    const guard = guardOf();
    guard.begin([git], []);
    guard.end();
    writeFileSync(config(), 'by the user');
    giveTo(DEAD);
    guardOf();
    expect(readFileSync(config(), 'utf8')).toBe('by the user');
    expect(readdirSync(journals())).toEqual([]);
    expect(notes).toEqual([]);
  });

  test('writes only after a change, and deletes the file at the end', async () => {
    const guard = guardOf();
    const running = () => readdirSync(journals()).find((name) => name.endsWith('.running')) ?? '';
    const inode = () => statSync(join(journals(), running())).ino;
    const pass = () => {
      guard.begin([git], []);
      const during = inode();
      guard.end();
      return during;
    };
    // Files that were changed just now count as changed.
    const settle = () => delay(100);
    await settle();
    const first = pass();
    expect(pass()).toBe(first);
    writeFileSync(config(), 'by the user');
    await settle();
    const changed = pass();
    expect(changed).not.toBe(first);
    expect(pass()).toBe(changed);
    guard.close();
    expect(readdirSync(journals())).toEqual([]);
  });

  test('keeps the files to the user', () => {
    guardOf().begin([git], []);
    expect(statSync(journals()).mode & 0o777).toBe(0o700);
    const [name = ''] = readdirSync(journals());
    expect(statSync(join(journals(), name)).mode & 0o777).toBe(0o600);
  });

  test('holds no hidden file, which commands could read there', () => {
    writeFileSync(join(git, 'token'), 'secret');
    guardOf().begin([git, join(base, 'w', '.agents')], [join(git, 'token')]);
    const [name = ''] = readdirSync(journals());
    const text = readFileSync(join(journals(), name), 'utf8');
    expect(text).not.toContain(Buffer.from('secret').toString('base64'));
    expect(text).toContain('.agents');
  });

  test('says so when a journal is cut off', () => {
    die();
    const [name = ''] = readdirSync(journals());
    truncateSync(join(journals(), name), 20);
    guardOf();
    expect(notes).toEqual([expect.stringContaining('cannot be read')]);
    expect(readdirSync(journals())).toEqual([]);
  });

  test('follows no link in the place of a journal or of their folder', () => {
    die();
    const [name = ''] = readdirSync(journals());
    renameSync(join(journals(), name), join(base, 'text'));
    symlinkSync(join(base, 'text'), join(journals(), name));
    guardOf();
    expect(readFileSync(config(), 'utf8')).toBe('evil');
    rmSync(journals(), { recursive: true });
    mkdirSync(join(base, 'elsewhere'));
    symlinkSync(join(base, 'elsewhere'), journals());
    notes.splice(0);
    guardOf().begin([git], []);
    expect(readdirSync(join(base, 'elsewhere'))).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('could not be written')]);
  });

  test('says nothing about a workspace that was deleted since', () => {
    die();
    rmSync(join(base, 'w'), { recursive: true });
    guardOf();
    expect(notes).toEqual([]);
  });
});
