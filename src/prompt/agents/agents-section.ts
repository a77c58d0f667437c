/** What AGENTS.md files say, as the model is told. */
export function agentsSection(text: string, cwd: string): string {
  return `# AGENTS.md instructions for ${cwd}\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`;
}

/** For a model that was told of such files, when they are gone. */
export const NO_AGENTS = `# AGENTS.md instructions for this folder

<INSTRUCTIONS>
There are none any more: what AGENTS.md files said before no longer counts.
</INSTRUCTIONS>`;
