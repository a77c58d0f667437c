import { UserError } from '../../base/errors.ts';
import { lockHolder } from './lock.ts';
import { isHeldHere } from './thread-hold.ts';

/** Returns the process that has a thread open, as far as is known, or undefined. */
export function threadHolder(home: string, id: string): { readonly pid: number } | undefined {
  // A new thread is locked a moment after its first line.
  return isHeldHere(home, id) ? { pid: process.pid } : lockHolder(home, id);
}

/** Throws `UserError` while a process has the thread open, because its file must not be moved meanwhile. */
export function refuseWhileOpen(home: string, id: string): void {
  const holder = threadHolder(home, id);
  if (!holder) return;
  throw new UserError(
    'in_use',
    `The thread ${id} is open in the process ${holder.pid}. Wait for it to end, or stop it.`,
  );
}
