import { readdirSync } from 'node:fs';
import { readProcFile } from './read-proc-file.ts';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Whether the process has ended and only waits for its parent to collect its status. */
  readonly ended: boolean;
  /** Time of the start, in ticks since the machine started. */
  readonly startedAt: number;
}

/** Returns every process of the machine; undefined where there is no /proc. */
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

/**
 * Reports whether a process was started with an entry in its environment. False where we may not read the environment.
 */
export function wasStartedWith(pid: number, entry: string): boolean {
  const environ = readProcFile(`/proc/${pid}/environ`);
  return environ !== undefined && `\0${environ}`.includes(`\0${entry}`);
}

/** Parses the line of /proc/N/stat. */
export function parseStat(stat: string): ProcessRow | undefined {
  // The name, in parentheses, may contain spaces and parentheses.
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
