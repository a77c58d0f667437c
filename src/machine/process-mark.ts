import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isRecord } from '../base/json-schema.ts';

/**
 * A mark that distinguishes a process from all others, including processes before the last boot and in other
 * containers.
 */
export interface ProcessMark {
  readonly pid: number;
  /** Start time in ticks of the kernel's clock, or null if the system does not report it. */
  readonly start: string | null;
  /** Id of the last boot of the machine. */
  readonly boot: string | null;
  /** PID namespace of the container. */
  readonly space: string | null;
  readonly host: string;
}

/** Returns the mark of this process. It is read once, when it is first needed. */
export const ownMark = once(
  (): ProcessMark => ({
    pid: process.pid,
    start: startOf(process.pid) ?? null,
    boot: tryTo(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? null,
    space: tryTo(() => readlinkSync('/proc/self/ns/pid')) ?? null,
    host: hostname(),
  }),
);

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export function isMark(value: unknown): value is ProcessMark {
  return isRecord(value) && typeof value.pid === 'number' && typeof value.host === 'string';
}

/** Reports whether a process is alive. Returns undefined if the process is not visible from here. */
export function isAlive(mark: ProcessMark): boolean | undefined {
  const me = ownMark();
  if (mark.boot !== me.boot) return mark.host === me.host ? false : undefined;
  if (mark.boot === null && mark.host !== me.host) return undefined;
  if (mark.space !== me.space) return undefined;
  if (mark.start !== null) return startOf(mark.pid) === mark.start;
  return tryTo(() => process.kill(mark.pid, 0)) ?? false;
}

/** Returns the start time, which is the 22nd field. The second field, the name, may contain any character. */
function startOf(pid: number): string | undefined {
  const text = tryTo(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

function tryTo<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
