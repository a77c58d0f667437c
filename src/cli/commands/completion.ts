import type { CommandTable } from '../command.ts';
import { bashCompletion } from '../completion/bash.ts';
import { type CommandEntry, completionTable, type OptionEntry, optionEntries } from '../completion/completion-table.ts';
import { fishCompletion } from '../completion/fish.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { formatHelp } from '../format-help.ts';
import { print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';

const options = {
  /** For the scripts: prints the words of a kind that begin with the next argument. */
  candidates: { type: 'string' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow completion bash|zsh|fish',
  about: `Prints a script that lets the shell complete the commands of oxbow and their options. It also completes threads, and the
profiles and models of config.toml.`,
  options,
  example: 'source <(oxbow completion bash)',
  more: {
    'To install it': [
      "bash  echo 'source <(oxbow completion bash)' >> ~/.bashrc",
      "zsh   echo 'source <(oxbow completion zsh)' >> ~/.zshrc   (after compinit)",
      'fish  oxbow completion fish > ~/.config/fish/completions/oxbow.fish',
    ],
  },
};

const SHELLS: Readonly<Record<string, (commands: readonly CommandEntry[], own: readonly OptionEntry[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Runs `oxbow completion`, which prints the script for one shell. */
export async function run(argv: readonly string[], commands: CommandTable): Promise<number> {
  const { values, positionals } = parseOptions('completion', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  const [name = '', ...more] = positionals;
  if (values.candidates !== undefined) {
    const { candidateLines } = await import('../completion/candidates.ts');
    print(await candidateLines(values.candidates, name));
    return 0;
  }
  const script = Object.hasOwn(SHELLS, name) && more.length === 0 ? SHELLS[name] : undefined;
  if (script === undefined) throw new UsageError('Name one shell: oxbow completion bash, zsh or fish.');
  const { interactiveHelps } = await import('../interactive/options.ts');
  print(script(await completionTable(commands), optionEntries(Object.entries(interactiveHelps.new.options))));
  return 0;
}
