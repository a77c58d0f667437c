import { describe, expect, test } from 'vitest';
import { matchesPrefix } from './prefix-match.ts';

describe('a command matches a pattern that it begins with', () => {
  test.each([
    ['git status -s', ['git', 'status']],
    ['git log', ['git', ['status', 'log']]],
    ['git', ['git']],
    ['git', [['hg', 'git']]],
    ['/usr/bin/git status', ['git', 'status']],
    ['/usr/local/bin/git status', ['git']],
    ['/opt/tool/run x', ['/opt/tool/run']],
    ['./run x', ['./run', 'x']],
  ])('%s', (line, pattern) => {
    expect(matchesPrefix(line.split(' '), pattern)).toBe(true);
  });

  test.each([
    ['git', ['git', 'status']],
    ['git push', ['git', ['status', 'log']]],
    ['git statusx', ['git', 'status']],
    ['xgit status', ['git', 'status']],
    ['/tmp/git status', ['git', 'status']],
    ['./git status', ['git', 'status']],
    ['git status', ['/usr/bin/git', 'status']],
    ['git /usr/bin/status', ['git', 'status']],
    ['git status', []],
    ['git', [[]]],
  ])('not %s', (line, pattern) => {
    expect(matchesPrefix(line.split(' '), pattern)).toBe(false);
  });

  test('nothing matches without words', () => {
    expect(matchesPrefix([], ['git'])).toBe(false);
    expect(matchesPrefix([], [])).toBe(false);
  });
});
