import type { CommandHelp } from './format-help.ts';

/** A command as the table of commands knows it. */
export interface Command {
  /** One line for the overview. */
  readonly summary: string;
  /** Loads the command; nothing of it is loaded before. */
  load(): Promise<CommandModule>;
}

export interface CommandModule {
  /** What `--help` prints; shells complete its options too. */
  readonly help?: CommandHelp;
  /** Gives the exit code. The table is for the command that describes the others. */
  run(argv: readonly string[], commands: CommandTable): Promise<number>;
}

export type CommandTable = Readonly<Record<string, Command>>;
