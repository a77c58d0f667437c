/** A command as the table of commands knows it. */
export interface Command {
  /** One line for the overview. */
  readonly summary: string;
  /** Loads the command; nothing of it is loaded before. `run` gives the exit code. */
  load(): Promise<{ run(argv: readonly string[]): Promise<number> }>;
}
