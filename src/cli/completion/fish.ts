import type { CommandEntry, OptionEntry, OptionValue } from './completion-table.ts';

/** Returns the completions for fish. */
export function fishCompletion(commands: readonly CommandEntry[]): string {
  return `# fish completion for oxbow
complete -c oxbow -f
complete -c oxbow -n __fish_use_subcommand -s h -l help -d 'Show the commands'
complete -c oxbow -n __fish_use_subcommand -s V -l version -d 'Print the version'
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ name, summary, words, options }: CommandEntry): string[] {
  const behind = `complete -c oxbow -n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
  return [
    `complete -c oxbow -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
    ...(words.length === 0 ? [] : [`${behind} -a ${quote(words.join(' '))}`]),
    ...options.map((option) => `${behind} ${optionFlags(option)} -d ${quote(option.help)}`),
  ];
}

function optionFlags({ long, short, value }: OptionEntry): string {
  const names = `${short === undefined ? '' : `-s ${short} `}-l ${long}`;
  if (value === null) return names;
  return `${names} ${value.values.length === 0 ? VALUES[value.lists] : `-x -a ${quote(value.values.join(' '))}`}`;
}

const VALUES: Readonly<Record<OptionValue['lists'], string>> = {
  files: '-r -F',
  folders: "-x -a '(__fish_complete_directories)'",
  nothing: '-x',
};

const quote = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;
