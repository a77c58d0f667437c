import type { CommandTable } from './command.ts';
import { type CommandHelp, formatHelp } from './format-help.ts';
import { print } from './output.ts';
import { didYouMean, parseOptions, UsageError } from './parse-options.ts';

/** Runs the verb that a command line begins with, or prints the help of the command. Throws `UsageError`. */
export async function runVerb(
  command: string,
  help: CommandHelp,
  verbs: CommandTable,
  argv: readonly string[],
): Promise<number> {
  const [name = '--help', ...words] = argv;
  if (name.startsWith('-')) {
    parseOptions(command, help.options, argv);
    print(formatHelp(help));
    return argv.length === 0 ? 2 : 0;
  }
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb) return (await verb.load()).run(words, verbs);
  const meant = didYouMean(name, Object.keys(verbs));
  throw new UsageError(`oxbow ${command} has no verb "${name}".${meant} See oxbow ${command} --help.`);
}
