import { messageOf } from './errors.ts';

/** Texts for the codes of the system. Node's own name the system call. */
const TEXTS: Readonly<Record<string, string>> = {
  EACCES: 'you may not use it',
  EBUSY: 'another program uses it',
  EEXIST: 'there is one already',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'it, or a folder above it, does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'you may not use it',
  EROFS: 'the file system is read-only',
};

/** Returns the reason for a failure of the file system as the end of a sentence for people, without a full stop. */
export function fileFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // Keeps "resource busy or locked" of "EBUSY: resource busy or locked, rename '/a' -> '/b'".
  return TEXTS[code] ?? messageOf(error).replace(/^E[A-Z0-9]+: (.+?), [a-z]+\b.*$/s, '$1');
}
