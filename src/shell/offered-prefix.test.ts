import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { findDanger } from './find-danger.ts';
import { LAUNCHER_NAMES, launcherKind } from './launchers.ts';
import { isOfferedPrefix } from './offered-prefix.ts';

const isOffered = (line: string) => isOfferedPrefix(line.split(' '));

/** Programs that run the code or the commands in their words, by what they are known for. */
const RUN_ANYTHING = `
  strace ltrace flock script watch chroot unshare nsenter setpriv runuser systemd-run valgrind tmux screen bwrap sudo doas su
  xargs parallel find fd ssh scp rsync mosh docker podman kubectl npx bunx pnpx uvx pipx eval exec source . trap alias
  tclsh wish expect gdb lldb guile vim vi nvim view ex emacs emacsclient nano ed sed awk gawk nawk mawk less more man
  python python2 python3 python3.12 pypy3 ipython node nodejs deno bun tsx ts-node ruby irb jruby perl perl5.36 raku php php8.2
  lua lua5.4 luajit Rscript R java jshell groovy scala julia ghci runghc elixir iex erl escript ocaml swipl sbcl racket
  octave gnuplot osascript m4 sqlite3 psql mysql redis-cli bc dc
  bash sh zsh dash ksh mksh ash fish csh tcsh pwsh powershell cmd nu xonsh elvish busybox toybox
  tar zip cpio sort uniq curl wget nc ncat socat openssl cp mv ln tee dd rm rmdir shred install chmod chown crontab at batch
  make cmake ninja meson git npm pnpm yarn cargo go uv poetry pip bundle`
  .trim()
  .split(/\s+/);

describe('no lasting yes is offered for', () => {
  test.each(RUN_ANYTHING)('%s, alone, by its path or with options', (name) => {
    for (const words of [[], ['-x'], ['--help'], ['-c', 'ls'], ['-e', 'ls'], ['--', 'ls'], ['-u', 'me', 'ls']]) {
      expect(isOfferedPrefix([name, ...words]), words.join(' ')).toBe(false);
      expect(isOfferedPrefix([`/usr/bin/${name}`, ...words]), words.join(' ')).toBe(false);
    }
  });

  test.each([
    ...[
      'sudo ls',
      'sudo apt-get update',
      'strace ls',
      'flock x ls',
      'env -i ls',
      'timeout 5',
      'nice bash',
      'env A=b python3',
    ],
    ...[
      'bash script.sh',
      'bash -lc ls',
      'python3 script.py',
      'python3 -c print(1)',
      'node script.js',
      'python3 -m http.server',
    ],
    ...[
      'git -c a=b status',
      'git -C sub status',
      'git config alias.x !sh',
      'git rebase',
      'git bisect run',
      'git submodule foreach',
    ],
    ...['git grep', 'git clone', 'git difftool', 'git archive', 'git unknown-alias', 'git filter-branch'],
    ...[
      'npm run',
      'npm run -s',
      'npm exec',
      'npm x',
      'npm config',
      'npx tsc',
      'pnpm dlx x',
      'yarn dlx x',
      'bun x y',
      'bun run',
    ],
    ...[
      'cargo run',
      'cargo install x',
      'go run x',
      'go generate',
      'go tool x',
      'uv run',
      'uv run python',
      'uv run bash -c',
    ],
    ...['poetry run python', 'bundle exec', 'bundle exec ruby', 'docker run x', 'docker exec x', 'docker compose up'],
    ...[
      'kubectl exec x',
      'kubectl apply',
      'make -f x',
      'make SHELL=x',
      'npm run SHELL=x',
      'gh api',
      'gh alias set',
      'deno run x',
    ],
    ...['./ls', '/tmp/ls', 'bin/pytest', '../git status', 'a/b', 'unknown-program', 'unknown-program with words'],
    ...['toString', 'constructor', '__proto__'],
  ])('%s', (line) => {
    expect(isOffered(line)).toBe(false);
  });

  test('nothing', () => {
    expect(isOfferedPrefix([])).toBe(false);
    expect(isOfferedPrefix([''])).toBe(false);
  });
});

describe('a lasting yes is offered for', () => {
  test.each([
    ...[
      'npm test',
      'npm run build',
      'npm install',
      'pnpm run test',
      'yarn run lint',
      'cargo build',
      'cargo test',
      'go test',
    ],
    ...['git status', 'git log --oneline', 'git commit', 'git push origin', '/usr/bin/git fetch', 'gh pr', 'docker ps'],
    ...[
      'pytest',
      'pytest -q',
      'python3 -m pytest',
      'python3.12 -m unittest',
      'make test',
      'make build/all',
      'just check',
    ],
    ...[
      'rg',
      'ls',
      'cat',
      'tsc',
      'eslint',
      'rspec',
      'uv run pytest',
      'poetry run mypy',
      'bundle exec rspec',
      'pnpm exec tsc',
    ],
    ...['env A=b npm test', 'timeout 5m npm test', 'nice npm test', 'command npm test', 'time cargo build'],
  ])('%s', (line) => {
    expect(isOffered(line)).toBe(true);
  });
});

test('no launcher of the table is offered with words that it does not know, and each is looked through for danger', () => {
  for (const name of LAUNCHER_NAMES) {
    expect(isOfferedPrefix([name]), name).toBe(false);
    expect(isOfferedPrefix([name, 'x', 'rm']), name).toBe(false);
    const words = launcherKind(name) === 'shell' ? ['-c', 'rm -rf x'] : ['rm', '-rf', 'x'];
    expect(findDanger([name, ...words]), name).toBe('rm -f deletes without asking');
  }
});

test('words behind an offered prefix never make it a launcher', () => {
  const word = fc.oneof(
    fc.constantFrom(...RUN_ANYTHING, ...LAUNCHER_NAMES, '-c', '-m', 'run', 'exec', 'A=b', '5'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), (words) => {
      if (!isOfferedPrefix(words)) return;
      const rest = words.filter((one) => !/^(?:\w+=.*|[\d.]+[smhd]?)$/s.test(one));
      const program = rest.find((one) => launcherKind(one) !== 'plain' && !/^(?:python[\d.]*|-m)$/.test(one)) ?? '';
      expect([...RUN_ANYTHING].filter((name) => !MANY.has(name))).not.toContain(program);
    }),
    { numRuns: runs(2000) },
  );
});

/** Programs of the list that are offered with some of their subcommands. */
const MANY = new Set('make git npm pnpm yarn cargo go uv poetry pip bundle docker podman kubectl deno bun'.split(' '));
