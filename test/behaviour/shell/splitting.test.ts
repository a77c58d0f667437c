import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { splitCommands } from '../../../src/shell/split-commands.ts';
import { runs } from '../../harness/runs.ts';

const root = mkdtempSync(join(tmpdir(), 'oxbow-splitting-'));
afterAll(() => rmSync(root, { recursive: true, force: true }), 60_000);

const PROBES = ['p0', 'p1', 'p2', 'p3'];
const SEPARATOR = '\x1f';
const END = '\x1e';

/** Each probe writes down its words, in one write, and then fails or succeeds as asked. */
const PRELUDE = [
  'probe() { printf "%s$SEPARATOR" "$@" "$END" >> "$RECORD"; return "$STATUS"; }',
  ...PROBES.map((name) => `${name}() { probe ${name} "$@"; }`),
  'if [ -n "$ZSH_VERSION" ]; then setopt nonomatch nobadpattern; fi',
].join('\n');

interface Run {
  /** The commands that run when all succeed, together with those that run when all fail, each once. */
  readonly commands: readonly string[];
  /** Complaints of the shell, and the files that it created. */
  readonly other: string;
}

/** Runs each script in a real shell: each as `-c`, or all in one shell, which is faster. */
function reallyRun(shell: string, scripts: readonly string[], how: 'each as -c' | 'together'): readonly Run[] {
  const folder = mkdtempSync(join(root, 'run-'));
  // A home called ~ makes the word its own expansion.
  const env = { PATH: '', HOME: '~', FOLDER: folder, SEPARATOR, END, ZDOTDIR: folder, LC_ALL: 'C.UTF-8' };
  const start = (...args: string[]) => spawnSync(shell, args, { env, cwd: folder, timeout: 60_000 });
  for (const at of scripts.keys()) mkdirSync(join(folder, `${at}`));
  const numbered = scripts.map((script, at) => ({ script, place: `cd ${folder}/${at}; exec 2>>../${at}.errors` }));
  const record = (at: number, status: number) => `RECORD=${folder}/${at}.record STATUS=${status}`;
  if (how === 'together') {
    const line = (at: number, status: number) =>
      `( ${numbered[at]?.place}; ${record(at, status)}; eval "$${'{'}${at + 1}}" )`;
    const lines = scripts.flatMap((_, at) => [line(at, 0), line(at, 1)]);
    writeFileSync(join(folder, 'all'), [PRELUDE, ...lines].join('\n'));
    start(join(folder, 'all'), ...scripts.map((script) => `${script}\nwait`));
  } else {
    for (const [at, { script, place }] of numbered.entries()) {
      for (const status of [0, 1]) start('-c', `${PRELUDE}\n${place}; ${record(at, status)}\n${script}\nwait`);
    }
  }
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
  return scripts.map((_, at) => ({
    commands: distinct(read(`${at}.record`).split(`${END}${SEPARATOR}`).slice(0, -1)),
    other: [read(`${at}.errors`), ...readdirSync(join(folder, `${at}`))].join(''),
  }));
}

function distinct(commands: readonly string[]): string[] {
  return [...new Set(commands)].sort();
}

/** Returns commands as the probes write them down. */
function written(commands: readonly (readonly string[])[]): string[] {
  return distinct(commands.map((words) => words.map((word) => `${word}${SEPARATOR}`).join('')));
}

/** Returns scripts whose programs are all probes, so that the test can see what runs. */
function observable(scripts: readonly string[]): { script: string; commands: readonly (readonly string[])[] }[] {
  return [...new Set(scripts)].flatMap((script) => {
    const commands = splitCommands(['bash', '-c', script]);
    return commands?.every(([program = '']) => PROBES.includes(program)) ? [{ script, commands }] : [];
  });
}

/** Any text that could mean something to a shell. */
const soup = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...PROBES, ' ', ' ', ' p0 ', ' p1 ') },
      {
        weight: 5,
        arbitrary: fc.constantFrom(
          ...' \' " \\ ; & | && || # $ * ? [ ] { } ( ) < > ~ = ! ^ - a é ` , a.b % : 0 1 2 @ +'.split(' '),
        ),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          ...'2>&1|>/dev/null|2>/dev/null|</dev/null|&>/dev/null|>&2|$(p3)|`p3`|$\'a\'|$"a"|\'a b\'|"a b"|{a,b}|a=b|if |time |\\ |-c|\'\'|""|=p0|HEAD~1|~/a|--x=a*|a*'.split(
            '|',
          ),
          '\n',
          '\t',
          '\\\n',
          '|&',
          ' # x\n',
          '\u00a0',
        ),
      },
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((pieces) => pieces.join(''));

/** Literal commands, each word quoted in one of the possible ways. */
const quotedWord = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 6 }), fc.nat(2)).map(([text, way]) => {
  const word = text.replaceAll('\0', '');
  if (way === 0) return `'${word.replaceAll("'", `'\\''`)}'`;
  if (way === 1) return `"${word.replaceAll(/[\\"$`]/g, '\\$&')}"`;
  return word.replaceAll(/[^\w]/gu, (char) =>
    char === '\n' ? "'\n'" : /[ -~]/.test(char) ? `\\${char}` : `'${char}'`,
  );
});
const literal = fc
  .array(
    fc.tuple(
      fc.constantFrom(...PROBES),
      fc.array(quotedWord, { maxLength: 3 }),
      fc.constantFrom('', ' 2>&1', ' >/dev/null', ' 2> /dev/null'),
      fc.constantFrom(' && ', ' || ', '; ', ' | ', '\n', ' & ', ' &&\n', ';# c\n'),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((commands) =>
    commands
      .map(([program, words, redirection, operator]) => `${[program, ...words].join(' ')}${redirection}${operator}`)
      .join('')
      .replace(/(?:&&|\|\||\|)\s*$/, ''),
  );

describe.each(['bash', 'dash', 'zsh'])('%s runs exactly the commands that the splitter returns', (shell) => {
  const path = ['/bin', '/usr/bin'].map((folder) => join(folder, shell)).find(existsSync);

  test.skipIf(path === undefined)('for literal scripts', () => {
    const scripts = observable(fc.sample(literal, 60));
    expect(scripts.length).toBeGreaterThan(20);
    const ran = reallyRun(
      path ?? '',
      scripts.map(({ script }) => script),
      'each as -c',
    );
    for (const [at, { script, commands }] of scripts.entries()) {
      expect({ script, ...ran[at] }).toEqual({ script, commands: written(commands), other: '' });
    }
  });

  test.skipIf(path === undefined)('for all other scripts that count as literal', () => {
    const most = runs(600);
    const scripts = observable(fc.sample(soup, 66 * most)).slice(0, most);
    expect(scripts.length).toBeGreaterThan(most / 3);
    const ran = reallyRun(
      path ?? '',
      scripts.map(({ script }) => script),
      'together',
    );
    for (const [at, { script, commands }] of scripts.entries()) {
      expect({ script, ...ran[at] }).toEqual({ script, commands: written(commands), other: '' });
    }
  });
});
