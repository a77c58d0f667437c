/** The characters that JSON is made of, as codes. */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;

/** White space as JSON knows it. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** The place of the next character that is no white space; the length of the text if there is none. */
export function skipSpace(text: string, at: number): number {
  let next = at;
  while (next < text.length && isSpace(text.charCodeAt(next))) next++;
  return next;
}

/** A text as it stands between the quotes of a JSON string. */
export function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
