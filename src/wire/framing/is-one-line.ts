/** Reports whether a text has no line break. */
export function isOneLine(text: string): boolean {
  return !text.includes('\n') && !text.includes('\r');
}
