import { execOptions } from './exec/options.ts';
import type { Option } from './parse-options.ts';

const OPTIONS: readonly (readonly [name: string, option: Option])[] = Object.entries(execOptions);

/**
 * Returns a command line in which the first word that is not an option comes first: Codex accepts options before the
 * command. The value of an option is not taken for the command. Undefined where there is no such word.
 */
export function commandFirst(argv: readonly string[]): readonly [string, ...string[]] | undefined {
  let at = 0;
  while (at < argv.length) {
    const word = argv[at] ?? '';
    if (word === '--' || !isOption(word)) break;
    at += takesNext(word) ? 2 : 1;
  }
  const command = argv[at];
  if (command === undefined || command === '--') return undefined;
  const verb = WITH_VERBS.has(command) && isWord(argv[at + 1]) ? argv.slice(at + 1, at + 2) : [];
  return [command, ...verb, ...argv.slice(0, at), ...argv.slice(at + 1 + verb.length)];
}

/** Commands whose next word chooses the options that follow. */
const WITH_VERBS: ReadonlySet<string> = new Set(['threads']);

function isWord(word: string | undefined): boolean {
  return word !== undefined && !isOption(word);
}

function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

/** Reports whether the value of an option is the next word. */
function takesNext(word: string): boolean {
  if (word.startsWith('--')) return OPTIONS.some(([name, { type }]) => `--${name}` === word && type === 'string');
  // In a group such as `-hm`, the value of the last letter follows. A value may also stand in the group itself.
  const first = [...word.slice(1)].findIndex((letter) => typeOf(letter) !== 'boolean');
  return first === word.length - 2 && typeOf(word.at(-1)) === 'string';
}

function typeOf(letter: string | undefined): Option['type'] | undefined {
  return OPTIONS.find(([, { short }]) => short !== undefined && short === letter)?.[1].type;
}
