import { getSystemErrorMap } from 'node:util';
import { messageOf, ToolFailure } from '../../base/errors.ts';

/** Returns the failure of a command that could not be started, in the words of Codex, which models know. */
export function spawnFailure(error: unknown): ToolFailure {
  if (error instanceof ToolFailure) return error;
  return new ToolFailure('execution', `Failed to create unified exec process: ${reason(error)}`, { cause: error });
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error);
  const { errno } = error as NodeJS.ErrnoException;
  const text = errno === undefined ? undefined : systemText(errno);
  return errno === undefined || text === undefined ? error.message : `${text} (os error ${-errno})`;
}

/** Texts of the C library where Node's differ by more than the first letter. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  E2BIG: 'Argument list too long',
  ENOMEM: 'Cannot allocate memory',
  ENOEXEC: 'Exec format error',
};

function systemText(errno: number): string | undefined {
  const entry = getSystemErrorMap().get(errno);
  if (entry === undefined) return undefined;
  const [code, text] = entry;
  return OWN_WORDS[code] ?? text.charAt(0).toUpperCase() + text.slice(1);
}
