import type { CommandHelp } from './format-help.ts';

/** An entry in the table of commands. */
export interface Command {
  /** Line for the overview. */
  readonly summary: string;
  /** Loads the command. None of its code is loaded before. */
  load(): Promise<CommandModule>;
}

export interface CommandModule {
  /** Text of `--help`. Shells complete the options that it lists. */
  readonly help?: CommandHelp;
  /** Verbs of the command. Shells complete their options too. */
  readonly verbs?: CommandTable;
  /** Runs the command and returns the exit code. `commands` is for the command that describes the others. */
  run(argv: readonly string[], commands: CommandTable): Promise<number>;
}

export type CommandTable = Readonly<Record<string, Command>>;
