import type { PrefixRule } from '../base/policy.ts';
import { baseName, systemProgram } from './program-name.ts';

/**
 * Reports whether a command begins with these words. A path in a folder of the system counts as the program's name. A
 * path anywhere else may be another program and matches only a pattern with that path.
 */
export function matchesPrefix(command: readonly string[], pattern: PrefixRule['pattern']): boolean {
  if (pattern.length === 0 || command.length < pattern.length) return false;
  return pattern.every((choice, at) => {
    const word = command[at] ?? '';
    const allows = (text: string) => (typeof choice === 'string' ? choice === text : choice.includes(text));
    return allows(word) || (at === 0 && allows(systemProgram(word) ?? word));
  });
}

/** Programs that run the code in their arguments. */
const INTERPRETERS =
  /^(?:(?:ba|da|z|k|mk|a|c|tc|fi|power)?sh|pwsh|cmd|python[\d.]*w?|pypy\d*|node(?:js)?|deno|bun|tsx|ts-node|ruby|irb|perl[\d.]*|php[\d.]*|lua[\d.]*|luajit|Rscript|R|java|julia|osascript)(?:\.exe)?$/;

/** Programs whose next word decides what they do. */
const MULTI_COMMANDS: ReadonlySet<string> = new Set(
  'git npm pnpm yarn cargo go uv poetry pip pip3 docker podman kubectl make'.split(' '),
);

/** Programs whose further words can always do more than the words that were shown. */
const ALWAYS_BANNED: ReadonlySet<string> = new Set(
  'rm rmdir dd mkfs shred eval exec source . su xargs parallel find sed awk gawk mawk ssh npx bunx pnpx uvx pipx'.split(
    ' ',
  ),
);

/** Programs that run the command after them. That command counts instead. */
const WRAPPERS: ReadonlySet<string> = new Set(
  'sudo doas env nice ionice nohup setsid timeout time stdbuf command builtin busybox caffeinate'.split(' '),
);

/** Subcommands that run any command after them. */
const RUNNERS: readonly (readonly string[])[] = [
  ['npm', 'run'],
  ['npm', 'exec'],
  ['npm', 'x'],
  ['pnpm', 'run'],
  ['pnpm', 'exec'],
  ['pnpm', 'dlx'],
  ['yarn', 'run'],
  ['yarn', 'exec'],
  ['yarn', 'dlx'],
  ['bun', 'run'],
  ['bun', 'x'],
  ['deno', 'run'],
  ['deno', 'eval'],
  ['cargo', 'run'],
  ['go', 'run'],
  ['uv', 'run'],
  ['poetry', 'run'],
  ['docker', 'run'],
  ['docker', 'exec'],
  ['podman', 'run'],
  ['podman', 'exec'],
  ['kubectl', 'exec'],
];

/**
 * Reports whether a rule for this prefix would allow more than a reader of the prefix expects. Such a rule is not
 * offered.
 */
export function isBannedPrefix(prefix: readonly string[]): boolean {
  const [program, ...words] = prefix;
  if (program === undefined) return true;
  const name = baseName(program);
  if (name === '' || ALWAYS_BANNED.has(name)) return true;
  if (WRAPPERS.has(name)) return isBannedPrefix(commandAfter(words));
  if (RUNNERS.some((runner) => runner[0] === name && runner[1] === words[0])) return words.slice(1).every(isOption);
  if (MULTI_COMMANDS.has(name)) return isOption(words[0] ?? '-');
  return INTERPRETERS.test(name) && !namesCode(words);
}

function isOption(word: string): boolean {
  return word.startsWith('-');
}

/**
 * Reports whether the words name the code: `script.py`, `-c code`, `-m module`. Further words are its arguments. After
 * other options, further code may follow.
 */
function namesCode([first = '-', second = '-']: readonly string[]): boolean {
  return !isOption(first) || (/^-(?:l?c|m)$/.test(first) && !isOption(second));
}

/**
 * Returns the command after assignments and times. None after an option, whose value cannot be distinguished from the
 * command.
 */
function commandAfter(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !/^(?:\w+=.*|[\d.]+[smhd]?)$/s.test(word));
  return at === -1 || words[at]?.startsWith('-') ? [] : words.slice(at);
}
