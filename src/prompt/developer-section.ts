/** What a developer says, as the model is told. A text that begins with a tag would be taken for one of the others. */
export function developerSection(text: string): string {
  return text.startsWith('<') ? `Instructions of the developer:\n\n${text}` : text;
}

/** For a model that was told something, when it no longer counts. */
export const NO_DEVELOPER = 'What the developer said before no longer counts.';
