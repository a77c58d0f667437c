import type { Launch } from './launch.ts';
import { readProcessTable } from './process-table.ts';

/** The process group of a started command, which is not that of the launcher it runs under. */
export function foregroundGroup(pid: number, { commandAt }: Launch): number {
  if (commandAt === 0) return pid;
  // To signal the launcher would end it, and with it the command before that could clean up.
  return readProcessTable()?.find((row) => row.parent === pid)?.group ?? pid;
}
