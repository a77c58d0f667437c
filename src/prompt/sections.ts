/**
 * Returns the section with the developer's text. A text that begins with a tag gets a heading, since it could be
 * mistaken for another section.
 */
export function developerSection(text: string): string {
  return text.startsWith('<') ? `Instructions of the developer:\n\n${text}` : text;
}

/** Section for a model that got a developer's text that no longer counts. */
export const NO_DEVELOPER = 'What the developer said before no longer counts.';

/** Returns the section with the texts of AGENTS.md files. */
export function agentsSection(text: string, cwd: string): string {
  return `# AGENTS.md instructions for ${cwd}\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`;
}

/** Section for a model that got the texts of AGENTS.md files that are gone. */
export const NO_AGENTS = `# AGENTS.md instructions for this folder

<INSTRUCTIONS>
There are none any more: what AGENTS.md files said before no longer counts.
</INSTRUCTIONS>`;

export interface EnvironmentFacts {
  readonly cwd: string;
  readonly shell: string;
  /** Day at the user's place, such as 2026-11-15. */
  readonly date: string;
  readonly timezone: string;
}

/**
 * Returns the section about the environment. The permissions have a section of their own, since they change at other
 * times.
 */
export function environmentContext({ cwd, shell, date, timezone }: EnvironmentFacts): string {
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
