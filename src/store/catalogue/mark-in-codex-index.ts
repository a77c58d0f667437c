import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import { loadSqlite, type Sqlite } from '../../node-internals/load-sqlite.ts';

/** The new place of a thread. */
export interface ThreadPlace {
  readonly id: string;
  readonly path: string;
  readonly archived: boolean;
}

/**
 * Writes the place of a thread into the index that Codex keeps of its threads, a database in the home. Codex goes by it
 * and does not look for a file that was moved. Does nothing without such an index, or where Node cannot open one. Throws
 * `UserError`.
 */
export function markInCodexIndex(home: string, place: ThreadPlace, now: number): void {
  const indexes = readdirSync(home).filter((name) => INDEX.test(name));
  const sqlite = indexes.length === 0 ? undefined : loadSqlite();
  if (sqlite !== undefined) for (const name of indexes) mark(sqlite, join(home, name), place, now);
}

const INDEX = /^state_\d+\.sqlite$/;

const UPDATE = 'UPDATE threads SET archived = ?, archived_at = ?, rollout_path = ? WHERE id = ?';

function mark({ DatabaseSync }: Sqlite, index: string, { id, path, archived }: ThreadPlace, now: number): void {
  try {
    const database = new DatabaseSync(index);
    try {
      database.exec('PRAGMA busy_timeout = 2000');
      database.prepare(UPDATE).run(archived ? 1 : 0, archived ? Math.floor(now / 1000) : null, path, id);
    } finally {
      database.close();
    }
  } catch (error) {
    const text = `The thread ${id} is now ${path}, but the index of Codex, ${index}, cannot be changed: ${fileFault(error)}.`;
    throw new UserError('storage', `${text} Codex may not find the thread.`, { cause: error });
  }
}
