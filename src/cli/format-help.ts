import type { OptionTable } from './parse-options.ts';

/** A kind of words that a shell asks oxbow for, because they are in the home or in a table. */
export type Listed = 'threads' | 'archived' | 'profiles' | 'models' | 'providers';

export interface CommandHelp {
  readonly usage: string;
  /** Purpose of the command in a sentence or two. */
  readonly about: string;
  readonly options: OptionTable;
  readonly example: string;
  /** Further sections: headings and their lines. */
  readonly more?: Readonly<Record<string, readonly string[]>>;
  /** Words after which a thread or a provider is named, for the completion of shells. */
  readonly threadAfter?: Readonly<Record<string, Extract<Listed, 'threads' | 'archived' | 'providers'>>>;
}

/** Returns the text of `oxbow COMMAND --help`. */
export function formatHelp({ usage, about, options, example, more = {} }: CommandHelp): string {
  const rows = Object.entries(options)
    .filter(([, option]) => option.help !== undefined)
    .map(([name, { short, value, help }]) => {
      const flag = `${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`;
      return [flag, help ?? ''] as const;
    });
  const sections = Object.entries(more).map(
    ([heading, lines]) => `\n${heading}:\n${lines.map((line) => `  ${line}\n`).join('')}`,
  );
  return `Usage: ${usage}\n\n${about}\n\nOptions:\n${formatRows(rows)}${sections.join('')}\nExample:\n  ${example}\n`;
}

function formatRows(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}
