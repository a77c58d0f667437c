export const NO_FILE = '/dev/null';

/** Prefixes that git writes before the old and the new name. */
const PREFIX = /^[abciow]\//;
const BACKUP = /(?:\.orig|\.old|\.bak|~)$/;
const TIME = / \d{4}-\d\d-\d\d[ T].*$/;
/** An escape, or the text up to the next one. */
const PIECE = /\\([0-7]{1,3}|.)|[^\\]+|\\/gsu;
const ESCAPED: Readonly<Record<string, string>> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

/** Returns the old and the new path of a file, from the texts after `--- ` and `+++ `, without prefixes and times. */
export function pathsOf(oldName: string, newName: string): readonly [string, string] {
  const before = withoutTime(oldName);
  const after = withoutTime(newName);
  if (before === NO_FILE) return [before, after.replace(/^b\//, '')];
  if (after === NO_FILE) return [before.replace(/^a\//, ''), after];
  const [bareBefore, bareAfter] = [before.replace(PREFIX, ''), after.replace(PREFIX, '')];
  const isPrefixed = bareBefore !== before && bareAfter !== after && before[0] !== after[0];
  if (isPrefixed && (bareBefore === bareAfter || `${before[0]}${after[0]}` === 'ab')) return [bareBefore, bareAfter];
  // `diff -u file.orig file` means the file: there is no file under the other name.
  return before.replace(BACKUP, '') === after ? [after, after] : [before, after];
}

/** Returns the paths in the text after `diff --git `; undefined if the two names cannot be separated. */
export function gitPaths(names: string): readonly [string, string] | undefined {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(names);
  if (quoted?.[1] !== undefined && quoted[2] !== undefined) return pathsOf(quoted[1], quoted[2]);
  const middle = (names.length - 1) / 2;
  const [before, after] = [names.slice(0, middle), names.slice(middle + 1)];
  return before.slice(2) === after.slice(2) ? pathsOf(before, after) : undefined;
}

/** Reports whether a name in a diff means the file at `path`. */
export function namesSameFile(name: string, path: string): boolean {
  const bare = withoutTime(name);
  return bare === path || bare.replace(PREFIX, '') === path;
}

/** Returns a name as git writes it: in quotes if it has a character that would be misread. */
export function quotePath(path: string): string {
  const escaped = path.replace(/["\\\p{Cc}]/gu, escapeCharacter);
  return escaped === path ? path : `"${escaped}"`;
}

export function unquotePath(name: string): string {
  const text = name.trim();
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  const pieces = [...text.slice(1, -1).matchAll(PIECE)];
  const bytes = pieces.flatMap(([piece, code]) => [...bytesOf(piece, code)]);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

/**
 * Returns a name without the time after it. The time follows a tab. Git writes the tab after names with spaces even
 * without a time.
 */
function withoutTime(name: string): string {
  if (name.startsWith('"')) return unquotePath(name.replace(/"[^"]*$/, '"'));
  const tab = name.indexOf('\t');
  return tab === -1 ? name.replace(TIME, '').trim() : name.slice(0, tab);
}

function escapeCharacter(character: string): string {
  const known = Object.keys(ESCAPED).find((letter) => ESCAPED[letter] === character);
  if (known !== undefined) return `\\${known}`;
  if (character === '"' || character === '\\') return `\\${character}`;
  const bytes = new TextEncoder().encode(character);
  return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** Returns the bytes of a piece of a quoted name. An octal escape may be part of a character. */
function bytesOf(piece: string, code: string | undefined): Iterable<number> {
  if (code !== undefined && /^[0-7]/.test(code)) return [Number.parseInt(code, 8) & 0xff];
  return new TextEncoder().encode(code === undefined ? piece : (ESCAPED[code] ?? code));
}
