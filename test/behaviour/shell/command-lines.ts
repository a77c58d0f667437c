import fc from 'fast-check';

/** Programs that only read, programs that write, and programs that do either. Not `tail`: with `-f` it never ends. */
const READING = 'cat ls head wc grep sort uniq cut tr echo nl tac rev paste seq stat diff cmp comm du true'.split(' ');
const EITHER = [
  'find',
  'sed',
  'base64',
  'rg',
  'git',
  'cd',
  'test',
  '[',
  'command',
  'date',
  'file',
  'expr',
  'id',
  'type',
];
const WRITING = `touch mkdir rm mv cp ln tee truncate chmod split dd install rmdir patch tar gzip xargs env awk perl
  python3 sh bash eval exec source . alias export printf read trap nice timeout sudo git`.split(/\s+/);

/** `new` does not exist before. */
const FILES = ['a.txt', 'b.txt', 'sub', 'sub/c.txt', 'new', 'sub/new', '.', '-', 'no such', '-o', '--', ''];

const OPTIONS =
  `-n -l -a -r -R -c -v -i -s -u -d -f -o -w -k1 -t, -nr -z -Z -T -I -A1 -5 -n5 -onew -ofnew -no new -ni -i.bak -e -E -p
  --output=new --output --outp=new --in-place --color --color=always --reverse --recursive --files0-from=a.txt
  --compress-program=touch --pre=touch --search-zip --hostname-bin=touch --to-file=new --batch-size=2 --debug -m -D -S1M
  -delete -exec -ok -execdir -fprint -fprint0 -fprintf -fls -print -printf -name -type -maxdepth -newer -o -not -prune
  -exec=x --help --version -C -x -b -q -H -L -P -w0 --wrap=0 -D5 --decode --utc +%s -lc 1,2p 2p 1w 1,2wnew 2e s/a/b/w ; + {} ( )
  status log diff show branch init add commit rev-parse --short --show-toplevel --show-current HEAD --list --ext-diff`.split(
    /\s+/,
  );

const pick = (list: readonly string[]) => fc.constantFrom(...list);

const plainWord = fc.oneof(
  { weight: 6, arbitrary: pick(FILES) },
  { weight: 5, arbitrary: pick(OPTIONS) },
  { weight: 1, arbitrary: pick(['a*', '*', 'sub/*', '?.txt', '[ab].txt', 'a b', "it's", '#', '$HOME', '~', '!', '=']) },
);

/** A word as a person might write it: bare, in quotes, escaped, or a mixture. */
const writtenWord = fc.tuple(plainWord, fc.nat(9)).map(([word, way]) => {
  if (way <= 3 && word !== '') return word;
  if (way <= 5) return `'${word.replaceAll("'", `'\\''`)}'`;
  if (way <= 7) return `"${word.replaceAll(/[\\"$`]/g, '\\$&')}"`;
  if (way === 8) return word.replaceAll(/[^\w]/g, '\\$&');
  return `${word.slice(0, 1).replaceAll(/[^\w-]/g, '\\$&')}'${word.slice(1).replaceAll("'", '')}'`;
});

const program = fc.oneof(
  { weight: 10, arbitrary: pick(READING) },
  { weight: 5, arbitrary: pick(EITHER) },
  { weight: 3, arbitrary: pick(WRITING) },
  { weight: 1, arbitrary: pick(['/usr/bin/sort', '/bin/cat', './touch', '"ls"', '\\cat', "t'ouch'", '$CMD', 'to*']) },
);

/** Operands and options that suit the program before them, so that many lines are accepted. */
const likelyWords = pick([
  '-n 5 a.txt',
  '-l a.txt b.txt',
  'a.txt',
  'a.txt new',
  'a.txt b.txt',
  '-c a.txt',
  '-r alpha .',
  '-d, -f1 a.txt',
  '. -name "*.txt"',
  '. -type f -newer a.txt',
  'sub -maxdepth 1 -print',
  '. -name "*.txt" -delete',
  '. -type f -exec touch new \\;',
  "-n '1,2p' a.txt",
  "-n 'w new' a.txt",
  '-i s/a/b/ a.txt',
  '-o new a.txt',
  '-f a.txt',
  '-f a.txt ]',
  'sub',
  '-v ls',
  'src/*',
  'sub/*',
  '-w 0 a.txt',
  '-k 1 -t , a.txt',
  'rev-parse --show-toplevel',
  'status --short',
]);

/** Commands that look harmless at first sight. The files in `dash` and `opt` have names like options. */
const TRAPS = [
  'sort -o new a.txt',
  'sort a.txt -onew',
  'sort -uo new a.txt',
  'sort --outp=new a.txt',
  'uniq a.txt new',
  'uniq -c a.txt new',
  'uniq sub/*',
  'cd sub; uniq -f 1* new',
  'find sub -delete',
  'find sub -name c.txt -a -delete',
  'find . -fprint new',
  "find . -maxdepth 0 -exec touch new ';'",
  "sed -n '1w new' a.txt",
  "sed -n '1e touch new' a.txt",
  'sed -n 1p -i a.txt',
  'cd opt && sort *',
  'cd opt; sort "y" ?[o]*',
  'cd dash && find *',
  'cat a.txt > new',
  'ls >new',
  'ls 2>/dev/null>new',
  'echo "$(touch new)"',
  'echo `touch new`',
  'ls &>/dev/null touch new',
  "test -v 'a[$(touch new)]'",
  'rg --pre ./touch.sh alpha a.txt',
  'git init -q',
];

const redirection = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: pick([' 2>&1', ' >/dev/null', ' 2>/dev/null', ' </dev/null', ' 2> /dev/null', ' >&2']) },
  {
    weight: 1,
    arbitrary: pick([' > new', '>new', ' >> a.txt', ' 2>new', ' &>new', ' >|new', ' <>new', ' >/dev/null/../new']),
  },
  {
    weight: 1,
    arbitrary: pick([' >&new', ' 1>&2>new', ' <<E\nx\nE', ' <<<x', ' > "new"', ' {fd}>new', ' &>/dev/null']),
  },
);

const simpleCommand = fc
  .tuple(
    fc.oneof(
      { weight: 14, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: pick(['A=b ', '! ', 'time ', 'A=$(touch new) ']) },
    ),
    program,
    fc.oneof(
      { weight: 3, arbitrary: likelyWords },
      { weight: 4, arbitrary: fc.array(writtenWord, { maxLength: 4 }).map((words) => words.join(' ')) },
    ),
    redirection,
  )
  .map(([before, name, words, after]) => `${before}${name} ${words}${after}`);

const operator = pick([
  ' && ',
  ' || ',
  '; ',
  ' | ',
  '\n',
  ' & ',
  ' &&\n',
  ' |& ',
  ' # x\n',
  ';# touch new\n',
  ' \\\n ',
]);

const command = fc.oneof({ weight: 6, arbitrary: simpleCommand }, { weight: 1, arbitrary: pick(TRAPS) });

function joined(part: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(part, fc.array(fc.tuple(operator, part), { maxLength: 3 }))
    .map(([first, rest]) => first + rest.flat().join(''));
}

/** Returns lines inside lines: in other shells, substitutions, groups, loops. */
function nested(line: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return fc.tuple(line, fc.nat(14)).map(([text, way]) => {
    if (way <= 4) return `bash -c ${quoted(text)}`;
    if (way === 5) return `sh -c "${text.replaceAll(/[\\"$`]/g, '\\$&')}"`;
    if (way === 6) return `/bin/bash -lc ${quoted(text)}`;
    const forms = [`$(${text})`, `"$(${text})"`, `\`${text}\``, `( ${text} )`, `{ ${text}; }`, `cat <(${text})`];
    return forms[way - 7] ?? `if true; then ${text}; fi`;
  });
}

const simple = joined(command);
const once = fc.oneof({ weight: 5, arbitrary: simple }, { weight: 2, arbitrary: nested(simple) });

/** Random command lines that read, write or fail. They write only below the working directory. */
export const commandLine: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: simple },
  { weight: 1, arbitrary: joined(once) },
  { weight: 1, arbitrary: nested(joined(once)) },
);
