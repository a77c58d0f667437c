import type { CommandTable } from './command.ts';

/** The text of `oxbow --help`. */
export function formatOverview(commands: CommandTable): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `Usage: oxbow COMMAND [options]

A coding agent whose tool calls really run, whatever model serves them.

Commands:
${rows.join('')}
oxbow COMMAND --help tells more; oxbow --version prints the version.

Example:
  oxbow exec "explain what this project does"
`;
}
