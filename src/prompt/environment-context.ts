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
