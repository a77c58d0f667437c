import { messageOf } from '../../base/errors.ts';

/** Messages of the C library. Node words some of them differently. */
const MESSAGES: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied (os error 13)',
  EISDIR: 'Is a directory (os error 21)',
  ELOOP: 'Too many levels of symbolic links (os error 40)',
  ENAMETOOLONG: 'File name too long (os error 36)',
  ENOENT: 'No such file or directory (os error 2)',
  ENOTDIR: 'Not a directory (os error 20)',
  EPERM: 'Operation not permitted (os error 1)',
};

/** Returns the system's message about a file that cannot be read, in the words that models know. */
export function systemMessage(error: unknown): string {
  return MESSAGES[codeOf(error)] ?? messageOf(error);
}

/** Reports whether the file does not exist. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
