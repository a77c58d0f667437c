import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { type FoundPatch, findPatch } from './find-patch.ts';

const PATCH = '*** Begin Patch\n*** Add File: a\n+$HOME `x` \\ "q"\n*** End Patch\n';
const PLAIN = '*** Begin Patch\n*** Delete File: a\n*** End Patch\n';
const heredoc = (body = PATCH, delimiter = "'EOF'") => `<<${delimiter}\n${body}EOF`;
const bash = (script: string) => findPatch(['bash', '-lc', script]);

describe('a patch is found', () => {
  test.each(['apply_patch', 'applypatch'])('as the one argument of %s', (name) => {
    expect(findPatch([name, PATCH])).toEqual({ type: 'patch', patch: PATCH });
    expect(findPatch([name, '--- a/x\n+++ b/x\n'])).toEqual({ type: 'patch', patch: '--- a/x\n+++ b/x\n' });
  });

  test.each([
    `apply_patch ${heredoc()}`,
    `applypatch ${heredoc()}\n`,
    `apply_patch${heredoc()}`,
    `apply_patch ${heredoc(PATCH, '"EOF"')}`,
    `'apply_patch' ${heredoc()}`,
    `\n  # a comment; rm -rf /\n\tapply_patch ${heredoc()}\n\n# the end\n`,
    `#!/bin/bash\napply_patch <<'EOF' # from here\n${PATCH}EOF`,
    `apply_patch <<-'EOF'\n\t${PATCH.replaceAll('\n', '\n\t\t')}EOF`,
  ])('in a script: %j', (script) => {
    expect(bash(script)).toEqual({ type: 'patch', patch: PATCH });
  });

  test('with ends of lines as they came', () => {
    const body = PLAIN.replaceAll('\n', '\r\n');
    expect(bash(`apply_patch ${heredoc(body)}`)).toEqual({ type: 'patch', patch: body });
  });

  test('with tabs behind a carriage return, which <<- leaves alone', () => {
    expect(bash(`apply_patch <<-'EOF'\n\ta\r\tb\nEOF`)).toEqual({ type: 'patch', patch: 'a\r\tb\n' });
  });

  test('in a here-document without quotes when there is nothing to substitute', () => {
    expect(bash(`apply_patch ${heredoc(PLAIN, 'EOF')}`)).toEqual({ type: 'patch', patch: PLAIN });
    expect(bash(`apply_patch ${heredoc(PATCH, 'EOF')}`)).toBeUndefined();
  });

  test.each([
    [`apply_patch '${PATCH}'`, PATCH],
    [`apply_patch "${PLAIN}"  # as a word\n`, PLAIN],
  ])('as a quoted word: %j', (script, patch) => {
    expect(bash(script)).toEqual({ type: 'patch', patch });
  });

  test.each([
    [`cd src && apply_patch ${heredoc()}`, 'src'],
    [`cd "my files/a" &&\n  apply_patch ${heredoc()}\n`, 'my files/a'],
    [`cd ../x&&apply_patch '${PATCH}'`, '../x'],
  ])('after a change of the folder: %j', (script, cwd) => {
    expect(bash(script)).toEqual({ type: 'patch', patch: PATCH, cwd });
  });

  test.each([[['bash', '-c', PATCH]], [['sh', '-lc', `\n${PATCH}\n`]], [[PATCH]]])('without a command: %j', (argv) => {
    expect(findPatch(argv)).toEqual({ type: 'bare' });
  });
});

describe('nothing is found', () => {
  test.each([
    `apply_patch ${heredoc()}\necho done`,
    `echo start; apply_patch ${heredoc()}`,
    `apply_patch <<'EOF' && echo done\n${PATCH}EOF`,
    `apply_patch <<'EOF' | cat\n${PATCH}EOF`,
    `apply_patch <<'EOF' &\n${PATCH}EOF`,
    `apply_patch <<'EOF' > log\n${PATCH}EOF`,
    `apply_patch 3<<'EOF'\n${PATCH}EOF`,
    `apply_patch -v ${heredoc()}`,
    `apply_patch ${heredoc().slice(0, -1)}`,
    `! apply_patch ${heredoc()}`,
    `(apply_patch ${heredoc()})`,
    `X=1 apply_patch ${heredoc()}`,
    `sudo apply_patch ${heredoc()}`,
    `./apply_patch ${heredoc()}`,
    `cat ${heredoc()}`,
    `cd a || apply_patch ${heredoc()}`,
    `cd a; apply_patch ${heredoc()}`,
    `cd a && cd b && apply_patch ${heredoc()}`,
    `cd && apply_patch ${heredoc()}`,
    `cd - && apply_patch ${heredoc()}`,
    `cd ~ && apply_patch ${heredoc()}`,
    `cd ~/x && apply_patch ${heredoc()}`,
    `cd $X && apply_patch ${heredoc()}`,
    `cd a* && apply_patch ${heredoc()}`,
    `cd a b && apply_patch ${heredoc()}`,
    `cd a > b && apply_patch ${heredoc()}`,
    `apply_patch "$PATCH"`,
    `apply_patch "$(cat patch)"`,
    `apply_patch 'a' 'b'`,
    `apply_patch --help`,
    `apply_patch < patch`,
    `apply_patch <<< 'x'`,
    `apply_patch`,
    `apply_patch\r ${heredoc()}`,
    'echo apply_patch',
    '',
  ])('in %j', (script) => {
    expect(bash(script)).toBeUndefined();
  });

  test.each([
    [['apply_patch']],
    [['apply_patch', 'a', 'b']],
    [['apply_patch', '--help']],
    [['echo', PATCH]],
    [['python3', '-c', PATCH]],
    [['bash', '-x', '-c', `apply_patch ${heredoc()}`]],
    [['/home/me/bash', '-c', `apply_patch ${heredoc()}`]],
    [[]],
  ])('in %j', (argv) => {
    expect(findPatch(argv)).toBeUndefined();
  });
});

const root = mkdtempSync(join(tmpdir(), 'oxbow-find-patch-'));
afterAll(() => rmSync(root, { recursive: true, force: true }), 60_000);

interface Run {
  readonly folder: string;
  /** Called commands with their words, folder and input; error output; files. */
  readonly record: string;
}

function reallyRun(shell: string, scripts: readonly string[]): readonly Run[] {
  const home = mkdtempSync(join(root, 'run-'));
  const folders = scripts.map((_, at) => join(home, `${at}`));
  for (const folder of folders) mkdirSync(join(folder, 'sub'), { recursive: true });
  const probe = (name: string) =>
    `${name}() { { printf '%s|' ${name} "$#" "\${1-}" "$PWD"; if [ $# = 0 ]; then cat; fi; printf '\\036'; } >> "$RECORD"; }`;
  const lines = folders.map(
    (folder, at) =>
      `( cd ${folder}; RECORD=${folder}.record; exec 2>${folder}.errors </dev/null; eval "$${'{'}${at + 1}}"; wait )`,
  );
  const program = [...['apply_patch', 'applypatch', 'p0'].map(probe), ...lines].join('\n');
  spawnSync(shell, ['-c', program, shell, ...scripts], { env: { PATH: '/usr/bin:/bin' }, timeout: 60_000 });
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  return folders.map((folder) => {
    const record = [read(`${folder}.record`), read(`${folder}.errors`), ...readdirSync(folder)].join('\n');
    return { folder, record: record.replace(/^applypatch/, 'apply_patch') };
  });
}

/** Returns the expected records for a patch as an argument and for a patch as input. */
function expectedOf(folder: string, { patch, cwd = '.' }: Extract<FoundPatch, { type: 'patch' }>): string[] {
  const where = resolve(folder, cwd);
  return [`apply_patch|1|${patch}|${where}|\x1e\n\nsub`, `apply_patch|0||${where}|${patch}\x1e\n\nsub`];
}

const noise = fc.constantFrom(
  ...["'EOF'", 'EOF', '"EOF"', '\\EOF', "''", '<<', '<<-', '\nEOF', '\n\tEOF', '\n', '\n', '\t', ' ', ' ', '#', ' # '],
  ...[
    'p0',
    ' p0 ',
    '&&',
    ';',
    '|',
    '&',
    '> made',
    '(',
    ')',
    '{ ',
    ' }',
    '!',
    '$x',
    '$(p0)',
    '`p0`',
    '\\',
    '\\\n',
    '"',
    "'",
  ],
  ...[
    'cd sub',
    'cd sub && ',
    'cd sub;',
    'cd .. && ',
    'apply_patch',
    'apply_patch ',
    'applypatch ',
    'x',
    '*** Begin Patch',
    '~',
    '*',
  ],
  ...[
    "'a\nb'",
    '"a b"',
    '--',
    'if',
    'x=1 ',
    "$'x'",
    '\r',
    '\v',
    '\u00a0',
    '\f',
    '[[ ',
    '&>',
    '2>&1',
    '<<<',
    '0<<',
    '#p0\n',
  ],
);
const around = fc.array(noise, { maxLength: 3 }).map((parts) => parts.join(''));
const core = fc.constantFrom(
  "apply_patch <<'EOF'\n*** x\n\tb\nEOF",
  'apply_patch <<-"EOF"\n*** x\n\tb\n\tEOF',
  "cd sub && apply_patch <<'EOF'\nx\nEOF\n",
  'apply_patch <<EOF\nx\nEOF',
  "apply_patch 'x\ny'",
  'cd sub && applypatch "x"',
);
const cut = fc.tuple(around, core, around, fc.nat(60), around).map(([before, text, behind, at, middle]) => {
  const place = at % (text.length + 1);
  return `${before}${text.slice(0, place)}${middle}${text.slice(place)}${behind}`;
});

const whole = fc.tuple(around, core, around).map((parts) => parts.join(''));

const SHELLS = ['bash', 'dash', 'zsh'].filter((shell) => existsSync(`/usr/bin/${shell}`));

describe('a script with a found patch applies that patch and does nothing else', () => {
  // Few scripts have a patch, and reading them is quick.
  const count = Math.max(runs(20_000), 1000);
  const scripts = fc.sample(fc.oneof(cut, whole), { numRuns: count });
  const found = [...new Set(scripts)].flatMap((script) => {
    const patch = findPatch(['bash', '-c', script]);
    return patch?.type === 'patch' ? [{ script, patch }] : [];
  });

  test('there are enough of them', () => {
    expect(found.length).toBeGreaterThan(count / 100);
  });

  test.each(SHELLS)('in %s', (shell) => {
    // dash 0.5.12 loses a byte of a character after a beginning of the delimiter: `EO\u00a0` in a here-document of EOF.
    const readable = shell === 'dash' ? found.filter(({ script }) => !script.includes('\u00a0')) : found;
    for (let at = 0; at < readable.length; at += 500) {
      const some = readable.slice(at, at + 500);
      const runs = reallyRun(
        shell,
        some.map(({ script }) => script),
      );
      for (const [index, { folder, record }] of runs.entries()) {
        const { script = '', patch = { type: 'patch', patch: '' } as const } = some[index] ?? {};
        // Without the folder the script does nothing. The code that applies a patch checks for the folder.
        if (!existsSync(resolve(folder, patch.cwd ?? '.'))) expect(record).toMatch(/^\n.*cd.*\n\nsub$/s);
        else expect(expectedOf(folder, patch), JSON.stringify(script)).toContain(record);
      }
    }
  });
});
