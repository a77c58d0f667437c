import { getSystemErrorMap } from 'node:util';
import { messageOf, ToolFailure } from '../../base/errors.ts';

/** Returns the failure of a command that could not be started, in the words of Codex, which models know. */
export function spawnFailure(error: unknown): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const advice = SHORTAGES[codeOf(error) ?? ''];
  const text = `Failed to create unified exec process: ${reason(error)}${advice === undefined ? '' : `. ${advice}`}`;
  return new ToolFailure('execution', text, { cause: error });
}

/** Reports whether an error means that the system lacks something for now. The same start may succeed later. */
export function isShortage(error: unknown): boolean {
  const cause = error instanceof ToolFailure ? error.cause : error;
  return Object.hasOwn(SHORTAGES, codeOf(cause) ?? '');
}

const SHORTAGES: Readonly<Record<string, string>> = {
  EMFILE: 'This process has as many open files as it may have (ulimit -n). End other commands, or try again later.',
  ENFILE: 'All processes together have as many open files as they may have (fs.file-max). Try again later.',
  EAGAIN: 'There are as many processes as there may be (ulimit -u). End other commands, or try again later.',
  ENOMEM: 'The machine has too little free memory. End other commands, or try again later.',
};

function reason(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error);
  const { errno } = error as NodeJS.ErrnoException;
  const entry = entryOf(error);
  return errno === undefined || entry === undefined ? error.message : `${systemText(entry)} (os error ${-errno})`;
}

type SystemError = readonly [code: string, text: string];

/** Returns the system's error by its number, which errors of a supervisor have too. */
function entryOf(error: unknown): SystemError | undefined {
  const errno = error instanceof Error ? (error as NodeJS.ErrnoException).errno : undefined;
  return errno === undefined ? undefined : getSystemErrorMap().get(errno);
}

const codeOf = (error: unknown) => entryOf(error)?.[0];

/** Texts of the C library where Node's differ by more than the first letter. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  E2BIG: 'Argument list too long',
  ENOMEM: 'Cannot allocate memory',
  ENOEXEC: 'Exec format error',
};

function systemText([code, text]: SystemError): string {
  return OWN_WORDS[code] ?? text.charAt(0).toUpperCase() + text.slice(1);
}
