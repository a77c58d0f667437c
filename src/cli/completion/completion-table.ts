import type { CommandModule, CommandTable } from '../command.ts';
import type { Option } from '../parse-options.ts';

/** A command as shells complete it. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** What may stand behind the command. */
  readonly words: readonly string[];
  readonly options: readonly OptionEntry[];
}

export interface OptionEntry {
  /** Without the dashes. */
  readonly long: string;
  readonly short: string | undefined;
  readonly help: string;
  /** Whether it may be given more than once. */
  readonly multiple: boolean;
  /** Null: it takes no value. */
  readonly value: OptionValue | null;
}

export interface OptionValue {
  readonly name: string;
  /** What the shell can list for it. */
  readonly lists: 'files' | 'folders' | 'nothing';
}

/** What can be completed of the commands. All of them are loaded; one that exports no help has no options here. */
export function completionTable(commands: CommandTable): Promise<readonly CommandEntry[]> {
  const entries = Object.entries(commands);
  return Promise.all(entries.map(async ([name, { summary, load }]) => entryOf(name, summary, await load())));
}

function entryOf(name: string, summary: string, { help }: CommandModule): CommandEntry {
  const shown = Object.entries(help?.options ?? {}).filter(([, { help: text }]) => text !== undefined);
  return {
    name,
    summary,
    words: wordsOf(help?.usage ?? ''),
    options: shown.map(([long, option]) => optionEntry(long, option)),
  };
}

/** The words of `oxbow completion bash|zsh|fish`. */
function wordsOf(usage: string): string[] {
  return usage
    .split(/\s+/)
    .filter((part) => /^[a-z-]+(\|[a-z-]+)+$/.test(part))
    .flatMap((part) => part.split('|'));
}

function optionEntry(long: string, { type, short, multiple, value, help = '' }: Option): OptionEntry {
  return {
    long,
    short,
    help,
    multiple: multiple ?? false,
    value: type === 'boolean' ? null : { name: value ?? 'VALUE', lists: listedFor(value) },
  };
}

function listedFor(value: string | undefined): OptionValue['lists'] {
  if (value === 'FILE') return 'files';
  return value === 'DIR' ? 'folders' : 'nothing';
}
