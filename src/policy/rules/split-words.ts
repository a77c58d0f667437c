/** Splits a command into words as a POSIX shell would, without expanding anything. Undefined: a quote is not closed. */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'" || char === '"') {
      const quoted = readQuoted(text, at + 1, char);
      if (quoted === undefined) return undefined;
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else if (char === '\\') {
      at += 1;
      if (at >= text.length) return undefined;
      word = (word ?? '') + text[at];
    } else word = (word ?? '') + char;
  }
  return word === undefined ? words : [...words, word];
}

/** Reads up to the closing quote, whose index is `end`. */
function readQuoted(text: string, start: number, quote: string): { text: string; end: number } | undefined {
  let read = '';
  for (let at = start; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === quote) return { text: read, end: at };
    const escapes = quote === '"' && char === '\\' && /["\\$`]/.test(text[at + 1] ?? '');
    if (escapes) at += 1;
    read += escapes ? text[at] : char;
  }
  return undefined;
}
