/**
 * Characters that a person cannot see, or that change how others are shown: controls, escapes, marks of direction,
 * characters without width, tags, separators, half surrogates, private ones, and blanks other than a space.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/u;

const ALL_UNSEEN = new RegExp(`${UNSEEN.source}|\\\\(?=u\\{)`, 'gu');

/**
 * Returns a text in which every unseen character stands as `\u{202E}`, for a person who decides about the text. Lines
 * and tabs stay. Different texts stay different: a backslash that would look like such an escape is escaped too.
 */
export function visibleText(text: string): string {
  return text.replace(ALL_UNSEEN, (found) => (found === '\n' || found === '\t' ? found : escaped(found)));
}

/** Returns a text as `visibleText` does, on one line and without tabs. */
export function visibleLine(text: string): string {
  return text.replace(ALL_UNSEEN, escaped);
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`;
}
