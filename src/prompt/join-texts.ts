/** Texts with a blank line between them; those that say nothing are left out. */
export function joinTexts(texts: readonly string[]): string {
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n');
}
