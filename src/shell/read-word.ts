/** Word of a script that stands for itself. */
export interface PlainWord {
  readonly value: string;
  /** Whether a shell may replace it by file names. All of them begin as the word does, and they are not options. */
  readonly glob: boolean;
}

/**
 * Characters that bash, dash and zsh all read literally outside quotes. ASCII only: some shells see blanks among the
 * others.
 */
const LITERAL = /[\w@%+=:,./!\]-]/;

/** Characters after which a `$` is literal in zsh too. zsh knows more expansions (`$~name`, `$^name`) than bash. */
const AFTER_LITERAL_DOLLAR: ReadonlySet<string | undefined> = new Set(['"', ' ', '|']);

/**
 * Reads a word as it stands in a script. Undefined: not all shells read the same word. The value that the grammar
 * computes is not used on purpose: the list of literal characters here is short.
 */
export function readWord(text: string): PlainWord | undefined {
  if (text === '[') return { value: text, glob: false };
  // In zsh, =name is the path of a program.
  if (/^(?:=.|~[^/])/.test(text)) return undefined;
  let value = '';
  let globAt = -1;
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    if ('*?['.includes(char) && globAt === -1) globAt = value.length;
    const piece = readPiece(text, at, char);
    if (piece === undefined) return undefined;
    value += piece.value;
    at = piece.end;
  }
  if (globAt !== -1 && !isHarmlessGlob(value.slice(0, globAt))) return undefined;
  return { value, glob: globAt !== -1 };
}

interface Piece {
  readonly value: string;
  readonly end: number;
}

function readPiece(text: string, at: number, char: string): Piece | undefined {
  if (char === "'") return singleQuoted(text, at);
  if (char === '"') return doubleQuoted(text, at);
  if (char === '\\') return escaped(text, at);
  if (text.startsWith('{}', at)) return { value: '{}', end: at + 2 };
  const literal = LITERAL.test(char) || '*?['.includes(char) || isRevisionMark(text, at, char);
  return literal ? { value: char, end: at + 1 } : undefined;
}

/**
 * Reports whether `~` or `^` stays as it is: inside a revision such as `HEAD~2` or `HEAD^`, and `~` at the start, which is
 * the home folder.
 */
function isRevisionMark(text: string, at: number, char: string): boolean {
  if (char === '~' && at === 0) return true;
  return (char === '~' || char === '^') && /[\w^~]/.test(text[at - 1] ?? '');
}

function singleQuoted(text: string, at: number): Piece | undefined {
  const close = text.indexOf("'", at + 1);
  return close === -1 ? undefined : { value: text.slice(at + 1, close), end: close + 1 };
}

function doubleQuoted(text: string, start: number): Piece | undefined {
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at] ?? '';
    const next = text[at + 1];
    if (char === '"') return { value, end: at + 1 };
    if (char === '`' || (char === '$' && !AFTER_LITERAL_DOLLAR.has(next))) return undefined;
    if (char === '\\' && next !== undefined && '$`"\\\n'.includes(next)) {
      value += next === '\n' ? '' : next;
      at++;
    } else value += char;
  }
  return undefined;
}

function escaped(text: string, at: number): Piece | undefined {
  const next = text[at + 1] ?? '';
  return /[ -~]/.test(next) ? { value: next, end: at + 2 } : undefined;
}

/**
 * Reports whether no file name that a pattern matches can become an option. A file may be called `-delete`, so the text
 * before the pattern must show that the word is not an option, or which option it is.
 */
function isHarmlessGlob(prefix: string): boolean {
  return /^(?:[^-]|--[\w-]+=)/.test(prefix);
}
