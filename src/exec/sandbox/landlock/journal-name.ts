import type { ProcessMark } from '../../../machine/process-mark.ts';

/**
 * The name of a journal. It says which process the journal belongs to, so that taking over a journal is a rename: of
 * several processes that try, one succeeds.
 */
export interface JournalName {
  readonly owner: ProcessMark;
  /** Text that tells the journals of one process apart. */
  readonly id: string;
  /** `running`: a command may have changed guarded paths. */
  readonly state: 'running' | 'idle' | 'new';
}

const BETWEEN = '~';

export function formatName({ owner, id, state }: JournalName): string {
  const fields = [owner.pid, owner.start ?? '', owner.boot ?? '', owner.space ?? '', owner.host, id];
  return `${fields.map((field) => encodeURIComponent(field).replaceAll('~', '%7E').replaceAll('.', '%2E')).join(BETWEEN)}.${state}`;
}

/** Returns undefined for a name that `formatName` did not make. */
export function parseName(name: string): JournalName | undefined {
  const [fields = '', state, ...more] = name.split('.');
  if (more.length > 0 || (state !== 'running' && state !== 'idle' && state !== 'new')) return undefined;
  const [pid, start, boot, space, host, id, ...rest] = fields.split(BETWEEN).map(decoded);
  if (boot === undefined || space === undefined || host === undefined || id === undefined || rest.length > 0) {
    return undefined;
  }
  return {
    owner: { pid: Number(pid), start: start || null, boot: boot || null, space: space || null, host },
    id,
    state,
  };
}

function decoded(field: string): string | undefined {
  try {
    return decodeURIComponent(field);
  } catch {
    return undefined;
  }
}
