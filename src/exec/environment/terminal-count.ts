import { ToolFailure } from '../../base/errors.ts';

/** A count of the commands that run at once in all threads that share it, with its limit. */
export interface TerminalCount {
  readonly most: number;
  running: number;
}

/**
 * Counts one more running command. Returns a function that takes it off the count again. Throws `ToolFailure` at the
 * limit.
 */
export function claimTerminal(count: TerminalCount | undefined): () => void {
  if (count === undefined) return () => undefined;
  if (count.running >= count.most) throw new ToolFailure('execution', full(count.most));
  count.running += 1;
  return () => {
    count.running -= 1;
  };
}

function full(most: number): string {
  return `${most} commands of this agent are running, and no more may. Wait until some have ended, or end them (write_stdin with "\\u0003"). The user can allow more with max_terminals under [tools] in config.toml.`;
}
