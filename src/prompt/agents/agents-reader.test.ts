import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type AgentsSettings, createAgentsReader } from './agents-reader.ts';

const MKFIFO = 'mkfifo';
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Makes a folder with a home, a project and a file outside both, and a reader that works in `project/sub/deep`. */
function setUp(files: Record<string, string>, changes: Partial<AgentsSettings> = {}) {
  const top = mkdtempSync(join(tmpdir(), 'oxbow-agents-'));
  made.push(top);
  const at = (path: string) => join(top, path);
  const write = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  for (const folder of ['home', 'project/sub/deep']) mkdirSync(at(folder), { recursive: true });
  for (const [path, text] of Object.entries(files)) write(path, text);
  const read = createAgentsReader({
    home: at('home'),
    cwd: at('project/sub/deep'),
    root: at('project'),
    fallbackNames: [],
    maxBytes: 32 * 1024,
    trusted: false,
    isDenied: () => false,
    // A time long after all files were written.
    now: () => Date.now() + 60_000,
    ...changes,
  });
  return { at, write, read };
}

describe('files that are read', () => {
  test('the home’s file, then those from the root down to the working folder, unchanged', () => {
    const { read } = setUp({
      'home/AGENTS.md': '  \nof the home \n',
      'AGENTS.md': 'above the root',
      'project/AGENTS.md': 'of the root\n\n',
      'project/sub/AGENTS.md': '\nof the middle\n',
      'project/sub/deep/AGENTS.md': 'of the folder',
      'project/other/AGENTS.md': 'of another folder',
    });
    expect(read()).toEqual({
      text: 'of the home\n\n--- project-doc ---\n\nof the root\n\n\n\n\nof the middle\n\n\nof the folder',
      faults: [],
    });
  });

  test('one file of each folder: the override, the usual one, then the fallbacks in their order', () => {
    const { read } = setUp(
      {
        'home/AGENTS.override.md': 'home override',
        'home/AGENTS.md': 'home',
        'project/AGENTS.override.md': 'root override',
        'project/AGENTS.md': 'root',
        'project/sub/AGENTS.md': 'middle',
        'project/sub/CONTRIBUTING.md': 'middle fallback',
        'project/sub/deep/CONTRIBUTING.md': 'deep fallback',
        'project/sub/deep/README.md': 'deep readme',
      },
      { fallbackNames: ['README.md', 'CONTRIBUTING.md'] },
    );
    expect(read().text).toBe('home override\n\n--- project-doc ---\n\nroot override\n\nmiddle\n\ndeep readme');
  });

  test('a blank file counts as missing, and the home has a second one', () => {
    const { read } = setUp({
      'home/AGENTS.override.md': ' \n',
      'home/AGENTS.md': 'home',
      'project/AGENTS.md': '\n\t\n',
      'project/sub/AGENTS.override.md': '',
      'project/sub/AGENTS.md': 'hidden by the blank override',
    });
    expect(read()).toEqual({ text: 'home', faults: [] });
    expect(setUp({ 'project/AGENTS.md': ' ' }).read()).toEqual({ text: null, faults: [] });
  });

  test('without a root only the working folder counts', () => {
    const files = { 'project/AGENTS.md': 'root', 'project/sub/deep/AGENTS.md': 'deep' };
    expect(setUp(files, { root: null }).read().text).toBe('deep');
  });

  test('a file that is both the home’s and the project’s is read once', () => {
    const { at } = setUp({ 'home/AGENTS.md': 'mine' });
    const home = { home: at('home'), cwd: at('home'), root: null };
    expect(setUp({}, home).read().text).toBe('mine');
  });

  test('with a limit of 0 the project’s files are not read', () => {
    const { read } = setUp({ 'home/AGENTS.md': 'home', 'project/AGENTS.md': 'root' }, { maxBytes: 0 });
    expect(read()).toEqual({ text: 'home', faults: [] });
  });
});

describe('limits', () => {
  test('the file that crosses the limit is cut between characters, and a note names the rest', () => {
    const { read, at } = setUp(
      { 'project/AGENTS.md': '12345', 'project/sub/AGENTS.md': 'xä€😀', 'project/sub/deep/AGENTS.md': 'deep' },
      // The limit leaves one byte of the last character's four.
      { maxBytes: 5 + 1 + 2 + 3 + 1 },
    );
    const leftOut = `the rest of ${at('project/sub/AGENTS.md')}, ${at('project/sub/deep/AGENTS.md')}`;
    const { text, faults } = read();
    expect(text).toBe(
      `12345\n\nxä€\n\n[Left out, because these files may have 12 bytes together: ${leftOut}. Read there what you need.]`,
    );
    expect(faults).toEqual([expect.stringContaining(`more than 12 bytes; the model is not told ${leftOut}.`)]);
  });

  test('a file that fits exactly is whole, and the files after it are left out', () => {
    const files = { 'project/AGENTS.md': '12345', 'project/sub/AGENTS.md': 'more' };
    const { read, at } = setUp(files, { maxBytes: 5 });
    expect(read().text).toContain('12345\n\n[Left out');
    expect(read().text).toContain(`together: ${at('project/sub/AGENTS.md')}.`);
  });

  test('of a huge file only the beginning is read', () => {
    const { read, write, at } = setUp({});
    for (const path of ['home/AGENTS.md', 'project/AGENTS.md']) {
      write(path, 'begins');
      truncateSync(at(path), 2 ** 40);
    }
    const { text } = read();
    expect(text?.startsWith('begins\0')).toBe(true);
    expect(text?.length).toBeLessThan(2 * 32 * 1024 + 1000);
  });

  test('bytes that are not UTF-8 become replacement characters', () => {
    const { read, write } = setUp({});
    write('project/AGENTS.md', Buffer.from([0x61, 0xff, 0x80, 0x80, 0x80, 0x80, 0x62]));
    expect(read().text).toMatch(/^a\ufffd+b$/);
  });
});

describe('paths that are not plain files', () => {
  test('a pipe and a folder are passed over without waiting', () => {
    const { read, at } = setUp({ 'project/sub/AGENTS.md': 'middle' });
    execFileSync(MKFIFO, [at('project/AGENTS.md'), at('home/AGENTS.md')]);
    mkdirSync(at('project/sub/AGENTS.override.md'));
    expect(read()).toEqual({ text: 'middle', faults: [] });
  });

  test('a link within the project is followed, one that leads nowhere or in a circle is ignored', () => {
    const { read, at } = setUp({ 'project/docs/rules.md': 'the rules' });
    symlinkSync(at('project/docs/rules.md'), at('project/AGENTS.md'));
    symlinkSync('nowhere', at('project/sub/AGENTS.md'));
    symlinkSync('AGENTS.md', at('project/sub/deep/AGENTS.md'));
    expect(read()).toEqual({ text: 'the rules', faults: [] });
  });

  test('a link out of the project is followed only where the user trusts it', () => {
    const files = { 'secret.txt': 'the secret' };
    for (const trusted of [false, true]) {
      const { read, at } = setUp(files, { trusted });
      symlinkSync(at('secret.txt'), at('project/AGENTS.md'));
      if (trusted) expect(read()).toEqual({ text: 'the secret', faults: [] });
      else {
        const { text, faults } = read();
        expect(text).toBeNull();
        expect(faults).toEqual([
          expect.stringContaining(`it links to ${at('secret.txt')}, and the project is not trusted`),
        ]);
      }
    }
  });

  test('a link of the home may lead anywhere', () => {
    const { read, at } = setUp({ 'dotfiles/agents.md': 'mine' });
    symlinkSync(at('dotfiles/agents.md'), at('home/AGENTS.md'));
    expect(read().text).toBe('mine');
  });

  test('a file of deny_read is left out, through any link', () => {
    const denied = (path: string) => path.endsWith('private.md');
    const { read, at } = setUp({ 'project/private.md': 'private' }, { trusted: true, isDenied: denied });
    symlinkSync('private.md', at('project/AGENTS.md'));
    expect(read()).toEqual({ text: null, faults: [expect.stringContaining('deny_read')] });
  });

  test('a file without the right to read it is named', () => {
    const { read, at } = setUp({ 'project/AGENTS.md': 'x', 'project/sub/AGENTS.md': 'middle' });
    chmodSync(at(''), 0o755);
    chmodSync(at('project/AGENTS.md'), 0);
    const result = asOrdinary(read);
    expect(result.text).toBe('middle');
    expect(result.faults).toEqual([
      expect.stringContaining(`${at('project/AGENTS.md')} cannot be read: you may not use it`),
    ]);
  });
});

/** Runs as an ordinary user: the superuser may read everything. */
function asOrdinary<T>(work: () => T): T {
  const { geteuid, seteuid } = process;
  if (geteuid?.() !== 0) return work();
  seteuid?.(65_534);
  try {
    return work();
  } finally {
    seteuid?.(0);
  }
}

describe('changes', () => {
  test('the same result comes back until a file changes, appears or goes', () => {
    const { read, write, at } = setUp({ 'project/AGENTS.md': 'one' });
    const first = read();
    expect(read()).toBe(first);
    write('project/AGENTS.md', 'two');
    // An older time of writing does not hide the change.
    utimesSync(at('project/AGENTS.md'), 1, 1);
    expect(read().text).toBe('two');
    write('project/sub/AGENTS.md', 'three');
    expect(read().text).toBe('two\n\nthree');
    rmSync(at('project/AGENTS.md'));
    rmSync(at('project/sub/AGENTS.md'));
    expect(read().text).toBeNull();
  });

  test('a file that was written a moment ago is read again, whatever its times say', () => {
    const { read, write } = setUp({ 'project/AGENTS.md': 'one' }, { now: Date.now });
    expect(read().text).toBe('one');
    write('project/AGENTS.md', 'two');
    expect(read().text).toBe('two');
  });
});
