import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { parseStat } from '../../process/process-table.ts';
import { readProcFile } from '../../process/read-proc-file.ts';

/**
 * The name of a journal. It says which process the journal belongs to, so that taking over a journal is a rename: of
 * several processes that try, one succeeds.
 */
export interface JournalName {
  readonly owner: JournalOwner;
  /** Text that tells the journals of one process apart. */
  readonly id: string;
  /** `running`: a command may have changed guarded paths. */
  readonly state: 'running' | 'idle' | 'new';
}

/** A process, distinguished from all others on all machines that may share a home. */
export interface JournalOwner {
  readonly pid: number;
  /** Time of the start, in ticks since the machine started. */
  readonly startedAt: number;
  /** Id of the last start of the machine. */
  readonly boot: string;
  /** Process namespace. */
  readonly space: string;
  readonly host: string;
}

const BETWEEN = '~';

export function formatName({ owner, id, state }: JournalName): string {
  const fields = [owner.pid, owner.startedAt, owner.boot, owner.space, owner.host, id];
  return `${fields.map((field) => encodeURIComponent(field).replaceAll('~', '%7E').replaceAll('.', '%2E')).join(BETWEEN)}.${state}`;
}

/** Returns undefined for a name that `formatName` did not make. */
export function parseName(name: string): JournalName | undefined {
  const [fields = '', state, ...more] = name.split('.');
  if (more.length > 0 || (state !== 'running' && state !== 'idle' && state !== 'new')) return undefined;
  const [pid, startedAt, boot, space, host, id, ...rest] = fields.split(BETWEEN).map(decoded);
  if (boot === undefined || space === undefined || host === undefined || id === undefined || rest.length > 0) {
    return undefined;
  }
  return { owner: { pid: Number(pid), startedAt: Number(startedAt), boot, space, host }, id, state };
}

/** Returns this process as the owner of journals. */
export function ownOwner(): JournalOwner {
  return {
    pid: process.pid,
    startedAt: startOf(process.pid) ?? 0,
    boot: readProcFile('/proc/sys/kernel/random/boot_id')?.trim() ?? '',
    space: readlinkSync('/proc/self/ns/pid'),
    host: hostname(),
  };
}

/** Reports whether an owner has ended. False for a process of another machine or container, which cannot be seen. */
export function isDead(owner: JournalOwner, self: JournalOwner): boolean {
  if (owner.boot !== self.boot) return owner.host === self.host;
  return owner.space === self.space && startOf(owner.pid) !== owner.startedAt;
}

function startOf(pid: number): number | undefined {
  const stat = readProcFile(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : parseStat(stat)?.startedAt;
}

function decoded(field: string): string | undefined {
  try {
    return decodeURIComponent(field);
  } catch {
    return undefined;
  }
}
