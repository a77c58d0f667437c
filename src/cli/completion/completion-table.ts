import type { CommandModule, CommandTable } from '../command.ts';
import type { CommandHelp, Listed } from '../format-help.ts';
import type { Option } from '../parse-options.ts';

/** A command for the completion of shells. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Words that may follow the command. */
  readonly words: readonly string[];
  readonly options: readonly OptionEntry[];
  /** Words after which a thread or a provider is named, by the list that has it. */
  readonly threadAfter: readonly (readonly [list: Listed, words: readonly string[]])[];
}

export interface OptionEntry {
  /** Name without the dashes. */
  readonly long: string;
  readonly short: string | undefined;
  readonly help: string;
  /** Whether the option may be repeated. */
  readonly multiple: boolean;
  /** Null for an option without a value. */
  readonly value: OptionValue | null;
}

export interface OptionValue {
  readonly name: string;
  /** Values that the shell can list, or ask oxbow for. */
  readonly lists: 'files' | 'folders' | 'nothing' | Exclude<Listed, 'threads' | 'archived' | 'providers'>;
  /** The only values that the option takes, or none if it takes any. */
  readonly values: readonly string[];
}

/**
 * Returns the commands, words and options that can be completed. Loads every command and verb. A command that exports no help
 * has no options here.
 */
export function completionTable(commands: CommandTable): Promise<readonly CommandEntry[]> {
  const entries = Object.entries(commands);
  return Promise.all(entries.map(async ([name, { summary, load }]) => entryOf(name, summary, await load())));
}

async function entryOf(name: string, summary: string, { help, verbs = {} }: CommandModule): Promise<CommandEntry> {
  const modules = await Promise.all(Object.values(verbs).map(({ load }) => load()));
  const options = new Map<string, Option>();
  // An option of several verbs is described by the first.
  for (const one of [help, ...modules.map((verb) => verb.help)])
    for (const [long, option] of Object.entries<Option>(one?.options ?? {}))
      if (!options.has(long)) options.set(long, option);
  return {
    name,
    summary,
    words: wordsOf(help?.usage ?? ''),
    options: optionEntries([...options]),
    threadAfter: threadLists(help?.threadAfter ?? {}),
  };
}

/** Returns the options that have a help. The others are for programs. */
export const optionEntries = (options: readonly (readonly [string, Option])[]): readonly OptionEntry[] =>
  options.filter(([, { help }]) => help !== undefined).map(([long, option]) => optionEntry(long, option));

function threadLists(after: NonNullable<CommandHelp['threadAfter']>): CommandEntry['threadAfter'] {
  const wordsBefore = (list: Listed) => Object.keys(after).filter((word) => after[word] === list);
  return (['threads', 'archived', 'providers'] as const)
    .map((list) => [list, wordsBefore(list)] as const)
    .filter(([, words]) => words.length > 0);
}

/** Returns the words of a usage line such as `oxbow completion bash|zsh|fish` or `oxbow config [get KEY | set KEY VALUE]`. */
function wordsOf(usage: string): string[] {
  const joined = usage
    .split(/\s+/)
    .filter((part) => /^[a-z-]+(\|[a-z-]+)+$/.test(part))
    .flatMap((part) => part.split('|'));
  return [...joined, ...[...usage.matchAll(/(?:\[|\| )([a-z]+) /g)].map(([, word = '']) => word)];
}

function optionEntry(long: string, { type, short, multiple, value, values = [], help = '' }: Option): OptionEntry {
  return {
    long,
    short,
    help,
    multiple: multiple ?? false,
    value: type === 'boolean' ? null : { name: value ?? 'VALUE', lists: listedFor(value), values },
  };
}

/** Kinds of values by their names in the help. */
const LISTED: Readonly<Record<string, OptionValue['lists']>> = {
  FILE: 'files',
  DIR: 'folders',
  PROFILE: 'profiles',
  MODEL: 'models',
};

function listedFor(value = ''): OptionValue['lists'] {
  return LISTED[value] ?? 'nothing';
}
