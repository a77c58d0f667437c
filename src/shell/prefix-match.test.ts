import { describe, expect, test } from 'vitest';
import { isBannedPrefix, matchesPrefix } from './prefix-match.ts';

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

describe('a prefix that would allow anything is banned', () => {
  test.each([
    ...[
      'bash',
      'bash -lc',
      'sh -c',
      '/bin/zsh',
      'fish',
      'pwsh',
      'python',
      'python3',
      'python3.12 -c',
      'python3 -m',
      'python3 -W ignore',
      'node',
      'node -e',
    ],
    ...[
      'node --require x',
      'node -r x',
      'node -e 1',
      'nodejs',
      'ruby -e',
      'perl -e',
      'php -r',
      'osascript',
      'deno',
      'bun',
      'git',
      'git -C',
      'git -C sub',
      'git -c a=b',
      '/usr/bin/git',
    ],
    ...[
      'rm',
      'rm -rf',
      'rm build',
      '/bin/rm',
      'sudo',
      'sudo -u',
      'sudo -u me ls',
      'sudo bash',
      'sudo rm a',
      'env',
      'env A=b',
      'env A=b python3',
      'env -i ls',
    ],
    ...[
      'nice',
      'timeout 5',
      'timeout 5 bash -c',
      'nohup',
      'xargs',
      'xargs ls',
      'eval',
      'npx',
      'npx tsc',
      'npm',
      'npm run',
      'npm run --silent',
      'npm exec',
      'npm exec --',
    ],
    ...[
      'pnpm run',
      'yarn',
      'yarn run',
      'bun run',
      'cargo run',
      'go run',
      'uv run',
      'docker run',
      'docker run --rm',
      'docker',
      'kubectl exec',
      'ssh',
      'find',
      'make',
      'awk',
      'sed -n',
    ],
  ])('%s', (line) => {
    expect(isBannedPrefix(line.split(' '))).toBe(true);
  });

  test('an empty prefix is banned', () => {
    expect(isBannedPrefix([])).toBe(true);
    expect(isBannedPrefix([''])).toBe(true);
  });

  test.each([
    ...[
      'git status',
      'git log --oneline',
      'npm test',
      'npm run build',
      'npm install',
      'pnpm run test',
      'cargo test',
      'cargo run --bin x',
      'go test',
      'make test',
    ],
    ...[
      'python3 script.py',
      'python3 -m pytest',
      'python3 -c print(1)',
      'bash script.sh',
      'node script.js --flag',
      'bash -lc ls',
      'sudo apt-get update',
      'env A=b npm test',
    ],
    ...['timeout 5m npm test', 'ls', 'cat', 'tsc', 'docker ps', 'nice npm test', 'command npm test'],
  ])('not %s', (line) => {
    expect(isBannedPrefix(line.split(' '))).toBe(false);
  });
});
