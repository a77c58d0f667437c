const MOST_NAMED = 20;

/**
 * Returns the text that tells the model that files were restored while the talk stays as it is. `input` is the beginning
 * of the user's input of the turn before which the files are now.
 */
export function rewindNote(input: string | null, paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED);
  const more = paths.length > named.length ? [`- and ${paths.length - named.length} more`] : [];
  const turn = input === null ? 'an earlier turn' : `the turn that began with ${JSON.stringify(input)}`;
  return `<rewind_notification>
The user restored the files of the workspace to their state before ${turn}. Later changes to these files are undone, whoever made them:
${[...named.map((path) => `- ${path}`), ...more].join('\n')}
The messages above still describe the files as they were. Read a file again before you rely on it.
</rewind_notification>`;
}
