/**
 * Returns an argv as the line that Codex prints for it, which a POSIX shell reads back as the same words. Programs
 * compare these lines with those of Codex. Its quotes also suit fish and the history of bash: no backslash stands in
 * single quotes, no dollar sign or exclamation mark in double quotes, and a caret only after an opening single quote.
 */
export function quoteForCodex(argv: readonly string[]): string {
  return argv.map(quoteWord).join(' ');
}

/** The ways to write the beginning of a word, the preferred way first. */
const WAYS = [
  { begins: /^[\w+\-./:@\]]*/, write: (piece: string) => piece },
  { begins: /^\^?[^'^\\]*/, write: (piece: string) => `'${piece}'` },
  { begins: /^[^`$!^]*/, write: (piece: string) => `"${piece.replace(/["\\]/g, '\\$&')}"` },
] as const;

function quoteWord(word: string): string {
  if (word === '') return "''";
  let quoted = '';
  for (let rest = word; rest !== ''; ) {
    const pieces = WAYS.map(({ begins, write }) => ({ piece: begins.exec(rest)?.[0] ?? '', write }));
    const { piece, write } = pieces.reduce((best, one) => (one.piece.length > best.piece.length ? one : best));
    quoted += write(piece);
    rest = rest.slice(piece.length);
  }
  return quoted;
}
