/** Returns words for people. A dash stands for none, as in Codex. */
export function listText(words: readonly string[] | null): string {
  return words === null || words.length === 0 ? '-' : words.join(' ');
}

/** Returns names and values for people. A dash stands for none. */
export function valuesText(values: Readonly<Record<string, string>> | null): string {
  const entries = Object.entries(values ?? {});
  return entries.length === 0 ? '-' : entries.map(([name, value]) => `${name}=${value}`).join(', ');
}
