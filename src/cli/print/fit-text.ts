/** Characters that are two columns wide: East Asian characters and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
/** Characters that have no width. */
const ZERO = /[\p{M}\p{Cf}]/u;

/** Returns the number of columns that a text has on a terminal. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Returns the text in exactly `columns` columns: filled with spaces, or cut with an ellipsis at its end. */
export function fitText(text: string, columns: number): string {
  const cut = cutText(text, columns);
  return `${cut}${' '.repeat(Math.max(0, columns - textWidth(cut)))}`;
}

/** Returns the text in at most `columns` columns. */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let cut = '';
  let width = 0;
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns - 1) break;
    cut += character;
  }
  return columns < 1 ? '' : `${cut}…`;
}

function characterWidth(character: string): number {
  if (character <= '\u02ff') return 1;
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
