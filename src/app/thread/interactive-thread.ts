import type { WholeOutput } from '../../base/environment.ts';
import { UserError } from '../../base/errors.ts';
import type { ContextUse, RunningTerminal } from '../../base/event.ts';
import { checkOptions, type OptionNames } from '../../config/check-options.ts';
import type { EngineThread } from '../../engine/thread.ts';
import type { UserCommandOptions, UserCommandResult } from '../../engine/user-commands.ts';

export type { UserCommandOptions, UserCommandResult } from '../../engine/user-commands.ts';

/** The parts of a thread that programs with a person in front of them need. */
export interface InteractiveThread {
  /**
   * Runs a command of the user's own in the shell of the thread, next to a running turn or without one. It has the
   * sandbox of the model's commands, and nothing is asked. It is shown as a `command` item with `by: 'user'`, and the
   * model gets it before its next request. Resolves when the command has ended. Throws `UserError` for an empty
   * script.
   *
   * @example
   * const { item } = await thread.runCommand('npm test');
   * console.log(item.exitCode, item.output);
   */
  runCommand(script: string, options?: UserCommandOptions): Promise<UserCommandResult>;
  /**
   * Returns the output of a command: all of it, up to 64 MiB, if the thread was opened with `keepOutputs` and the
   * command ran since then. Otherwise the first and last 512 KiB while it runs, and after its end what the log has: the
   * text that the model read, or 4 KiB. Throws `UserError` if the thread has no such command.
   */
  commandOutput(itemId: string): Promise<WholeOutput>;
  /** The part of the model's window that the thread takes at this moment. */
  readonly context: ContextUse;
  /** Terminals that calls of the model left running, the oldest first. */
  readonly terminals: readonly RunningTerminal[];
  /** Returns the last lines of a running terminal, at most 64 KiB. Throws `UserError` if it is not running. */
  terminalOutput(id: number): string;
  /**
   * Ends a running terminal with everything it started. The model learns of it when it asks for the terminal. Throws
   * `UserError` if it is not running.
   */
  stopTerminal(id: number): Promise<void>;
}

/** Returns the methods. */
export function interactiveOf(
  engine: EngineThread,
  readOutput: (itemId: string) => Promise<WholeOutput | undefined>,
): Omit<InteractiveThread, 'context' | 'terminals'> {
  return {
    async runCommand(script, options = {}) {
      checkOptions('runCommand', options, USER_COMMAND_OPTIONS);
      return engine.runCommand(script, options);
    },
    async commandOutput(itemId) {
      const output = engine.commandOutput(itemId) ?? (await readOutput(itemId));
      if (!output) throw new UserError('not_found', `The thread has no output of a command ${JSON.stringify(itemId)}.`);
      return output;
    },
    terminalOutput: engine.terminals.output,
    stopTerminal: engine.terminals.stop,
  };
}

const USER_COMMAND_OPTIONS: OptionNames<UserCommandOptions> = {
  signal: true,
  sandboxMode: true,
  networkAccess: true,
  writableRoots: true,
};
