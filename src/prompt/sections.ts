/** What a developer says, as the model is told. A text that begins with a tag would be taken for one of the others. */
export function developerSection(text: string): string {
  return text.startsWith('<') ? `Instructions of the developer:\n\n${text}` : text;
}

/** For a model that was told something, when it no longer counts. */
export const NO_DEVELOPER = 'What the developer said before no longer counts.';

/** What AGENTS.md files say, as the model is told. */
export function agentsSection(text: string, cwd: string): string {
  return `# AGENTS.md instructions for ${cwd}\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`;
}

/** For a model that was told of such files, when they are gone. */
export const NO_AGENTS = `# AGENTS.md instructions for this folder

<INSTRUCTIONS>
There are none any more: what AGENTS.md files said before no longer counts.
</INSTRUCTIONS>`;

export interface Surroundings {
  readonly cwd: string;
  readonly shell: string;
  /** The day where the user is, as 2026-11-15. */
  readonly date: string;
  readonly timezone: string;
}

/** What the model is told about where it works. What it may do there is told apart, since that changes at other times. */
export function environmentContext({ cwd, shell, date, timezone }: Surroundings): string {
  return [
    '<environment_context>',
    `  <cwd>${escapeXml(cwd)}</cwd>`,
    `  <shell>${escapeXml(shell.split('/').at(-1) ?? shell)}</shell>`,
    `  <current_date>${date}</current_date>`,
    `  <timezone>${timezone}</timezone>`,
    '</environment_context>',
  ].join('\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
