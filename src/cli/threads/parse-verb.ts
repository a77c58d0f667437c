import { type CommandHelp, formatHelp } from '../format-help.ts';
import { print } from '../output.ts';
import { type OptionTable, type Parsed, parseOptions, UsageError } from '../parse-options.ts';

export interface Verb<T extends OptionTable> {
  /** The command that has the verb. Default: `threads`. */
  readonly command?: string;
  readonly name: string;
  /** Names of its words in messages. */
  readonly takes: readonly string[];
  /** Number of words at the end that may be left out. */
  readonly optional?: number;
  readonly help: CommandHelp & { readonly options: T };
}

/**
 * Reads the command line of a verb. Prints the help and returns undefined when the user asks for it. Throws
 * `UsageError`.
 */
export function parseVerb<const T extends OptionTable>(
  { command = 'threads', name, takes, optional = 0, help }: Verb<T>,
  argv: readonly string[],
): { readonly words: readonly string[]; readonly values: Parsed<T>['values'] } | undefined {
  const { values, positionals } = parseOptions<T>(`${command} ${name}`, help.options, argv);
  if ('help' in values && values.help) {
    print(formatHelp(help));
    return undefined;
  }
  const { length } = positionals;
  if (length <= takes.length && length >= takes.length - optional) return { words: positionals, values };
  throw new UsageError(`${wrongWords(`${command} ${name}`, takes, positionals)} See oxbow ${command} ${name} --help.`);
}

function wrongWords(name: string, takes: readonly string[], given: readonly string[]): string {
  if (takes.length === 0) return `Unexpected "${given[0]}".`;
  const text = `oxbow ${name} takes ${takes.join(' and ')}`;
  return given.length > takes.length ? `${text}: quote arguments that contain spaces.` : `${text}.`;
}
