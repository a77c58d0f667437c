import { messageOf } from '../../base/errors.ts';

/** An error like those of the system, with its code. */
export function systemError(code: string, reason: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${reason}, open '${path}'`), { code, path, syscall: 'open' });
}

/** The code of whatever was thrown, if it has one. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** What an error says, without its code and without the path, which may be one that nobody knows. */
export function reasonOf(error: unknown): string {
  const message = messageOf(error);
  return /^[A-Z][A-Z0-9]*: (.+?), \w+/.exec(message)?.[1] ?? message;
}

/** What a folder, a file system or the kind of a file does not allow, as opposed to what fails. */
const STUCK = ['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Whether another way may be open. */
export function isStuck(error: unknown): boolean {
  return STUCK.includes(codeOf(error) ?? '');
}
