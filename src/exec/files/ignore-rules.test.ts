import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestRepository, type TestRepository } from '../git/test-repository.ts';
import { readIgnoreRules } from './ignore-rules.ts';

let repository: TestRepository;
beforeEach(() => {
  repository = createTestRepository();
});
afterEach(() => repository.dispose());

const PATHS = [
  'a.log',
  'b/a.log',
  'a/log',
  'build',
  'b/build',
  'x y',
  'a.c',
  'ab.c',
  'b/c/d.o',
  'doc/x.txt',
  'doc/s/x.txt',
  '#a',
  'a[b',
];

test.each([
  ['*.log'],
  ['/build'],
  ['build'],
  ['doc/*.txt'],
  ['doc/**/x.txt'],
  ['**/build'],
  ['b/**'],
  ['?.c'],
  ['[ab].c'],
  ['[!a].log\n!b/a.log'],
  ['*.log\n!a.log'],
  ['*.log\n!/a.log'],
  ['\\#a'],
  ['# a comment\n\nx y  '],
  ['a\\[b'],
  ['[broken'],
])('%j means for each path what it means to git', (rules) => {
  writeFileSync(join(repository.root, '.gitignore'), rules);
  const own = readIgnoreRules(rules);
  for (const path of PATHS) expect([path, own.decide(path, false) ?? false]).toEqual([path, isIgnoredByGit(path)]);
});

test('a slash at the end is for folders', () => {
  const rules = readIgnoreRules('out/');
  expect(rules.decide('a/out', true)).toBe(true);
  expect(rules.decide('a/out', false)).toBeUndefined();
});

function isIgnoredByGit(path: string): boolean {
  try {
    execFileSync('git', ['check-ignore', '-q', '--no-index', path], { cwd: repository.root, env: repository.env });
    return true;
  } catch {
    return false;
  }
}
