import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { splitCommands } from './split-commands.ts';

const bash = (script: string) => splitCommands(['bash', '-lc', script]);

describe('an argv without a script is one command', () => {
  test.each([
    [['ls', '-la']],
    [['git', 'commit', '-m', 'a && b']],
    [['bash', 'script.sh']],
    [['bash', '-c', 'ls', 'name']],
    [['bash', '-xc', 'ls']],
    [['bash', '-ic', 'ls']],
    [['bash', '-l', '-c', 'ls']],
    [['./bash', '-c', 'ls']],
    [['/tmp/bash', '-c', 'ls']],
    [['fish', '-c', 'ls']],
    [['sudo', 'bash', '-c', 'ls']],
  ])('%j', (argv) => {
    expect(splitCommands(argv)).toEqual([argv]);
  });
});

describe('a script of literal words is split', () => {
  test.each([
    ['ls', [['ls']]],
    ['ls && pwd || true; id', [['ls'], ['pwd'], ['true'], ['id']]],
    [
      'ls -la | wc -l',
      [
        ['ls', '-la'],
        ['wc', '-l'],
      ],
    ],
    ['ls &\npwd\n', [['ls'], ['pwd']]],
    ['# first\nls # all\n\n  pwd;', [['ls'], ['pwd']]],
    ['ls \\\n  -a', [['ls', '-a']]],
    [`echo 'a b' "c d" e\\ f g'h'"i"`, [['echo', 'a b', 'c d', 'e f', 'ghi']]],
    [`echo "a\\"\\$\\\\b\\n" '$x' '\`y\`'`, [['echo', 'a"$\\b\\n', '$x', '`y`']]],
    [`rg "end$" 'a|b'`, [['rg', 'end$', 'a|b']]],
    ['echo "ü" \'日本\'', [['echo', 'ü', '日本']]],
    ['make A=b', [['make', 'A=b']]],
    ['git show HEAD~2 HEAD^ a..b', [['git', 'show', 'HEAD~2', 'HEAD^', 'a..b']]],
    ['ls ~ ~/a', [['ls', '~', '~/a']]],
    ['ls src/*.ts a[0-9].txt --hide=*.js', [['ls', 'src/*.ts', 'a[0-9].txt', '--hide=*.js']]],
    ['find . ! -name x -exec echo {} \\;', [['find', '.', '!', '-name', 'x', '-exec', 'echo', '{}', ';']]],
    [
      '[ -f a ] && cat a',
      [
        ['[', '-f', 'a', ']'],
        ['cat', 'a'],
      ],
    ],
    ['ls 2>&1', [['ls']]],
    ['ls >/dev/null 2>&1', [['ls']]],
    ['ls 1> /dev/null 2>>/dev/null </dev/null >&2', [['ls']]],
    ['ls 2>/dev/null b', [['ls', 'b']]],
    ['\\ls "-a"', [['ls', '-a']]],
    [`bash -c 'ls && sh -c "pwd; id"' | wc`, [['ls'], ['pwd'], ['id'], ['wc']]],
    ['/bin/zsh -lc ls', [['ls']]],
    ['bash -c ls name', [['bash', '-c', 'ls', 'name']]],
  ])('%j', (script, commands) => {
    expect(bash(script)).toEqual(commands);
  });

  test('given to any of the shells, by name or in a folder of the system', () => {
    for (const shell of ['bash', 'sh', 'zsh', 'dash', '/bin/bash', '/usr/bin/zsh', '/usr/local/bin/bash']) {
      expect(splitCommands([shell, '-c', 'ls; pwd'])).toEqual([['ls'], ['pwd']]);
    }
  });
});

describe('any other script is not split', () => {
  test.each([
    ...[
      '',
      ' ',
      '\n',
      '# only a comment',
      ';',
      'ls &&',
      'ls ;; pwd',
      "echo 'open",
      'echo "open',
      'ls )',
      'ls |',
      'echo \\',
    ],
    ...[
      'echo $x',
      'echo "$x"',
      `echo \${x}`,
      'echo $(ls)',
      'echo "$(ls)"',
      'echo `ls`',
      'echo $((1))',
      'echo "a$~x"',
      '$x',
    ],
    ...["echo $'a'", 'echo $"a"', 'echo $', 'cat <(ls)', 'tee >(cat)'],
    ...[
      'ls > file',
      'ls >> file',
      'ls 2> file',
      'ls >| file',
      'ls <> file',
      'ls >&file',
      'cat < file',
      '> file',
      'ls 3>/dev/null',
    ],
    ...[
      'ls &> /dev/null',
      'ls >&2>/dev/null',
      'ls 2>&1</dev/null',
      'ls > /dev/null/x',
      'ls > /dev/nullx',
      'ls > "/dev/null"x',
      'ls {fd}>/dev/null',
      'ls >/dev/tcp/a/1',
    ],
    ...['cat <<E\na\nE', 'cat <<< a', '</dev/null', '>/dev/null ls'],
    ...[
      '(ls)',
      '{ ls; }',
      'if true; then ls; fi',
      'for a in b; do ls; done',
      'while ls; do :; done',
      'case a in a) ls;; esac',
    ],
    ...[
      'f() { ls; }',
      'function f { ls; }',
      '[[ -f a ]]',
      '((1))',
      '! ls',
      'time ls',
      'ls |& cat',
      'coproc ls',
      'select a in b; do ls; done',
    ],
    ...[
      'A=b',
      'A=b ls',
      'A+=b ls',
      'a[0]=b',
      'export A=b',
      'declare a',
      'alias ls=rm',
      'eval ls',
      'source file',
      '. file',
      'exec ls',
    ],
    ...[
      'trap ls EXIT',
      'set -e; ls',
      'shopt -s x',
      'hash -p a ls; ls',
      'builtin ls',
      'noglob ls',
      'repeat 2 ls',
      "'eval' ls",
    ],
    ...[
      'ls *',
      'ls *.ts',
      'ls ?a',
      'ls [a]b',
      'ls -*',
      'ls "-"*',
      'l*',
      'echo {a,b}',
      'echo {1..3}',
      'echo @(a|b)',
      'ls a(b)',
    ],
    ...[
      'ls =ls',
      'ls ~user',
      'ls ~+',
      'echo a=~',
      'ls ^a',
      'ls 2\\\n>/dev/null',
      'l\\\ns',
      'ls\\\n -a',
      'ls a#b',
      'ls é',
      'ls a\u00a0b',
      '~/program',
      '!ls',
      'ls &!ls',
      "'' a",
    ],
    ...['ls\r\n', 'ls\0', 'ls \x1b', 'ls \x7f', 'ls\x0bpwd', 'bash -c a*', 'bash -c "ls $(pwd)"', "sh -c 'A=b ls'"],
  ])('%j', (script) => {
    expect(bash(script)).toBeUndefined();
  });

  test('an argv without words, and shells in shells without end', () => {
    expect(splitCommands([])).toBeUndefined();
    const deep = Array.from({ length: 9 }).reduce<string>(
      (script) => `sh -c '${script.replaceAll("'", `'"'"'`)}'`,
      'ls',
    );
    expect(bash(deep)).toBeUndefined();
  });
});

test('quoted words come back as they were', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/\p{Cc}/u.test(text));
  const operator = fc.constantFrom(' && ', ' || ', ' | ', '; ', ' & ', '\n');
  const argv = fc.array(word, { maxLength: 4 }).map((words) => ['run', ...words]);
  fc.assert(
    fc.property(fc.array(argv, { minLength: 1, maxLength: 4 }), operator, (commands, between) => {
      const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
      expect(bash(commands.map((words) => words.map(quote).join(' ')).join(between))).toEqual(commands);
    }),
  );
});

test('no script makes it throw', () => {
  const piece = fc.constantFrom(
    ...`' " \\ $ ( ) { } [ ] < > | & ; # * ? ! ~ = \` \n ls a $( $(( <<E \${ [[ if`.split(' '),
    ' ',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }), (pieces) => {
      bash(pieces.join(''));
    }),
    { numRuns: runs(2000) },
  );
});

test('long scripts are split quickly', () => {
  expect(bash(`sh -c '${'ls;'.repeat(150_000)}'`)).toHaveLength(150_000);
  expect(bash(`cat <<E ${'# '.repeat(10_000)}\n)\nE`)).toBeUndefined();
  expect(bash(`ls ${'# '.repeat(10_000)}\n${'# ; '.repeat(10_000)}`)).toEqual([['ls']]);
});
