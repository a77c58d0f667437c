import type { CommandEntry, OptionEntry, OptionValue } from './completion-table.ts';

/** Returns the completions for fish. */
export function fishCompletion(commands: readonly CommandEntry[], own: readonly OptionEntry[]): string {
  return `# fish completion for oxbow
# A quote that is still open is no part of the word.
function __oxbow_ask
  oxbow completion --candidates $argv[1] -- (commandline -ct | string trim -l -c '"\\'') 2>/dev/null
end
complete -c oxbow -f
${own.map((option) => `complete -c oxbow -n __fish_use_subcommand ${optionFlags(option)} -d ${quote(option.help)}`).join('\n')}
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ name, summary, words, options, threadAfter }: CommandEntry): string[] {
  const behind = `complete -c oxbow -n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
  return [
    `complete -c oxbow -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
    ...(words.length === 0 ? [] : [`${behind} -a ${quote(words.join(' '))}`]),
    ...threadAfter.map(([list, after]) => {
      const condition = `__fish_seen_subcommand_from ${name}; and __fish_prev_arg_in ${after.join(' ')}`;
      return `complete -c oxbow -n ${quote(condition)} -k -a '(__oxbow_ask ${list})'`;
    }),
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
  profiles: "-x -k -a '(__oxbow_ask profiles)'",
  models: "-x -k -a '(__oxbow_ask models)'",
};

const quote = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;
