/** Options of a program that neither write nor start anything. All other options are unknown, and so not safe. */
export interface CommandOptions {
  /** Letters without a value, which may be joined: `-la`. */
  readonly flags?: string;
  /** Letters with a value: `-n5`, `-n 5`. */
  readonly valued?: string;
  /** Long names, separated by blanks: `all`, `sort=` with a value, `color[=]` with an optional value after `=`. */
  readonly long?: string;
  /** Whether `-20` is an option. */
  readonly count?: boolean;
}

const NUMBER = /^-\d+$/;

/** Returns the words of a command that are not options. Undefined: an option is not in the table. */
export function readOperands(words: readonly string[], options: CommandOptions): readonly string[] | undefined {
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return [...operands, ...words.slice(at + 1)];
    if (!word.startsWith('-') || word === '-') {
      operands.push(word);
      continue;
    }
    if (options.count === true && NUMBER.test(word)) continue;
    const kind = word.startsWith('--') ? longKind(word, options) : shortKind(word, options);
    if (kind === 'unknown') return undefined;
    if (kind === 'value follows') {
      at++;
      if (!isValue(words[at])) return undefined;
    }
  }
  return operands;
}

type Kind = 'whole' | 'value follows' | 'unknown';

function longKind(word: string, { long = '' }: CommandOptions): Kind {
  const equals = word.indexOf('=');
  const name = word.slice(2, equals === -1 ? undefined : equals);
  const names = long.split(/\s+/);
  if (names.includes(`${name}[=]`)) return 'whole';
  if (names.includes(`${name}=`)) return equals === -1 ? 'value follows' : 'whole';
  return equals === -1 && names.includes(name) ? 'whole' : 'unknown';
}

function shortKind(word: string, { flags = '', valued = '' }: CommandOptions): Kind {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? '';
    if (valued.includes(letter)) return at === word.length - 1 ? 'value follows' : 'whole';
    if (!flags.includes(letter)) return 'unknown';
  }
  return 'whole';
}

/**
 * Reports whether a word can be the value of an option. A word like an option cannot: in another version of the
 * program, the letter before it may have no value.
 */
function isValue(word: string | undefined): boolean {
  return word !== undefined && (word === '-' || !word.startsWith('-') || NUMBER.test(word));
}
