import { messageOf } from '../../base/errors.ts';

/** Returns an error like those of the system, with its code. */
export function systemError(code: string, reason: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${reason}, open '${path}'`), { code, path, syscall: 'open' });
}

/** Returns the code of a thrown value, if it has one. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** Returns the message of an error without its code and without the path, which may be a temporary one. */
export function reasonOf(error: unknown): string {
  const message = messageOf(error);
  return /^[A-Z][A-Z0-9]*: (.+?), \w+/.exec(message)?.[1] ?? message;
}

/** Codes of errors where a folder, a file system or a kind of file does not allow a call. */
const STUCK = ['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Reports whether another way to write may work after an error. */
export function isStuck(error: unknown): boolean {
  return STUCK.includes(codeOf(error) ?? '');
}
