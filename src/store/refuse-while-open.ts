import { UserError } from '../base/errors.ts';
import { threadHolder } from './lock.ts';

/** Throws `UserError` while a process has the thread open: its file must not be moved away under it. */
export function refuseWhileOpen(home: string, id: string): void {
  const holder = threadHolder(home, id);
  if (!holder) return;
  throw new UserError(`The thread ${id} is open in the process ${holder.pid}. Wait for it to end, or stop it.`);
}
