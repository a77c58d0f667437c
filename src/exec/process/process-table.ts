import { readdirSync } from 'node:fs';
import { readProcFile } from './read-proc-file.ts';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Ended, and only waiting for its parent to notice. */
  readonly ended: boolean;
  /** In ticks since the machine started. */
  readonly startedAt: number;
}

/** Every process of the machine; undefined where there is no /proc. */
export function readProcessTable(): readonly ProcessRow[] | undefined {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return undefined;
  }
  const rows = names.filter((name) => /^\d+$/.test(name)).map((name) => readProcess(Number(name)));
  return rows.some((row) => row?.pid === process.pid) ? rows.filter((row) => row !== undefined) : undefined;
}

/** Whether a process was started with this entry in its environment. False where we may not look. */
export function wasStartedWith(pid: number, entry: string): boolean {
  const environ = readProcFile(`/proc/${pid}/environ`);
  return environ !== undefined && `\0${environ}`.includes(`\0${entry}`);
}

/** Reads the line that /proc/N/stat holds. */
export function parseStat(stat: string): ProcessRow | undefined {
  // The name, in parentheses, may hold spaces and parentheses itself.
  const nameEnd = stat.lastIndexOf(')');
  if (nameEnd < 0) return undefined;
  const fields = stat.slice(nameEnd + 2).split(' ');
  const number = (index: number) => Number(fields[index]);
  return {
    pid: Number.parseInt(stat, 10),
    parent: number(1),
    group: number(2),
    session: number(3),
    ended: fields[0] === 'Z' || fields[0] === 'X',
    startedAt: number(19),
  };
}

function readProcess(pid: number): ProcessRow | undefined {
  const stat = readProcFile(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : parseStat(stat);
}
