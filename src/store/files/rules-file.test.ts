import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appendRule, readRulesFile, readRulesFolder } from './rules-file.ts';
import { rulesPaths } from './rules-paths.ts';

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'rules-'));
  file = join(home, 'rules', 'default.rules');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('adding a rule', () => {
  test('creates a file that only its owner may read', () => {
    appendRule(file, 'one', 'A heading');
    expect(readFileSync(file, 'utf8')).toBe('# A heading\none\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'rules')).mode & 0o777).toBe(0o700);
  });

  test('keeps existing lines, and adds no line twice', () => {
    appendRule(file, 'one', 'h');
    appendRule(file, 'two', 'h');
    appendRule(file, 'one', 'h');
    expect(readFileSync(file, 'utf8')).toBe('# h\none\ntwo\n');
  });

  test('is not appended to a line without a line feed', () => {
    appendRule(file, 'x', 'h');
    writeFileSync(file, 'half');
    appendRule(file, 'one', 'h');
    expect(readFileSync(file, 'utf8')).toBe('half\none\n');
  });

  test('fails with a sentence', () => {
    writeFileSync(join(home, 'rules'), 'in the way');
    expect(() => appendRule(file, 'one', 'h')).toThrow(`The rule cannot be written to ${file}: `);
  });

  test('by several processes at once loses no rule', async () => {
    const source = new URL('./rules-file.ts', import.meta.url).pathname;
    const bundle = join(home, 'append.mjs');
    const esbuild = new URL('../../../node_modules/.bin/esbuild', import.meta.url).pathname;
    execFileSync(esbuild, [source, '--bundle', '--platform=node', '--format=esm', `--outfile=${bundle}`], {
      stdio: 'ignore',
    });
    appendRule(file, 'first', 'h');
    const script = `import { appendRule } from ${JSON.stringify(bundle)}; for (let n = 0; n < 25; n++) appendRule(${JSON.stringify(file)}, process.argv[1] + ' ' + n, 'h');`;
    const running = ['a', 'b', 'c', 'd'].map((name) =>
      once(spawn(process.execPath, ['--input-type=module', '-e', script, name]), 'close'),
    );
    expect((await Promise.all(running)).map(([code]) => code)).toEqual([0, 0, 0, 0]);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(102);
    expect(new Set(lines).size).toBe(102);
  });
});

describe('reading rules', () => {
  test('reads the rules files of a folder in the order of their names, and no others', () => {
    appendRule(join(home, 'b.rules'), 'two', 'h');
    appendRule(join(home, 'a.rules'), 'one', 'h');
    writeFileSync(join(home, 'notes.txt'), 'no rules');
    expect(readRulesFolder(home).map(({ path }) => path)).toEqual([join(home, 'a.rules'), join(home, 'b.rules')]);
  });

  test('refuses a missing file, a pipe and a file that is too long, without blocking', () => {
    const endless = join(home, 'endless.rules');
    symlinkSync('/dev/zero', endless);
    expect(() => readRulesFolder(home)).toThrow(`${endless} is not a file with rules.`);
    expect(() => readRulesFile(join(home, 'gone.rules'))).toThrow('There is no file');
    expect(readRulesFile(join(home, 'gone.rules'), { mayBeMissing: true })).toBeUndefined();
    const long = join(home, 'long.rules');
    writeFileSync(long, '#'.repeat(2 ** 20 + 1));
    expect(() => readRulesFile(long)).toThrow('too long');
  });
});

test('each project has a file of its own, whatever characters its name contains', () => {
  const paths = ['/home/me/site', '/home/you/site', '/home/me/a b$(x)/..', '/'].map((project) =>
    rulesPaths('/h', project),
  );
  expect(new Set(paths.map(({ project }) => project)).size).toBe(4);
  for (const { project, always } of paths) {
    expect(project).toMatch(/^\/h\/rules\/projects\/[\w.-]*-[0-9a-f]{16}\.rules$/);
    expect(always).toBe('/h/rules/default.rules');
  }
});
