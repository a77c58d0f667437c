import { setImmediate as round } from 'node:timers/promises';
import {
  chooseThread,
  encodeLine,
  fitsQuery,
  forkLines,
  type Log,
  type LogLine,
  LostThread,
  noThread,
  type StoredLine,
  type ThreadCatalogue,
  type ThreadStore,
  type ThreadSummary,
  threadFacts,
  UserError,
} from '../../../src/store/index.ts';

interface Row {
  readonly id: string;
  readonly lines: string[];
  name: string | null;
  archived: boolean;
  changedAt: number;
  /** Rises with each owner: only the last one may write. */
  epoch: number;
  /** True until the owner closes its log or disappears. */
  leased: boolean;
}

/** Threads of a made-up database. */
export type Rows = Map<string, Row>;

/**
 * Returns a store as one would write it for a database: asynchronous, with an epoch that fences appends. `onAppend`
 * gets each group of lines.
 */
export function mapStore(rows: Rows, onAppend: (lines: readonly LogLine[]) => void = () => {}): ThreadStore {
  const catalogue = catalogueOf(rows);
  return {
    ...catalogue,
    create: (id) => logOf(newRow(id), rows, onAppend),
    async take(id) {
      await round();
      const row = rowOf(rows, id);
      if (row.archived) throw new UserError('not_found', `The thread ${id} is archived.`);
      refuseWhileLeased(row);
      return { log: logOf(row, rows, onAppend), lines: catalogue.read(id), notes: [] };
    },
  };
}

const LABEL = 'a map';

function rowOf(rows: Rows, id: string): Row {
  const row = rows.get(id);
  if (!row) throw noThread(id, LABEL);
  return row;
}

function newRow(id: string): Row {
  return { id, lines: [], name: null, archived: false, changedAt: 0, epoch: 0, leased: false };
}

function refuseWhileLeased(row: Row): void {
  if (row.leased) throw new UserError('in_use', `The thread ${row.id} belongs to another owner.`);
}

async function* readLines(rows: Rows, id: string): AsyncGenerator<StoredLine> {
  await round();
  for (const [index, line] of [...rowOf(rows, id).lines].entries())
    yield { label: id, number: index + 1, bytes: Buffer.from(line) };
}

function catalogueOf(rows: Rows): ThreadCatalogue {
  const get = (id: string) => rowOf(rows, id);
  const read = (id: string) => readLines(rows, id);
  const newest = () => [...rows.values()].reverse();
  const summary = async (row: Row) => summaryOf(row, await threadFacts(read(row.id)));
  return {
    label: LABEL,
    read,
    async find(reference) {
      const { id, archived } = await chooseThread(reference, newest(), LABEL);
      return { id, archived };
    },
    describe: async (id) => summary(get(id)),
    async *list({ limit = Number.POSITIVE_INFINITY, ...query } = {}) {
      const threads = await Promise.all(newest().map(summary));
      yield* threads.filter((thread) => fitsQuery(thread, query)).slice(0, limit);
    },
    async *ids() {
      yield* rows.keys();
    },
    async last(cwd) {
      for (const row of newest())
        if (!row.archived && (cwd === null || (await summary(row)).cwd === cwd)) return row.id;
      return null;
    },
    async fork(id, at, meta) {
      const row = newRow(meta.id);
      const lines = forkLines({ read: () => read(id), at, meta, now: Date.now() });
      for await (const line of lines) row.lines.push(line.toString('utf8'));
      rows.set(meta.id, row);
    },
    async rename(id, name) {
      get(id).name = name;
    },
    archive: async (id) => setArchived(get(id), true),
    unarchive: async (id) => setArchived(get(id), false),
    async delete(id) {
      refuseWhileLeased(get(id));
      rows.delete(id);
    },
    holder: async (id) => (get(id).leased ? { label: 'an owner' } : null),
  };
}

function setArchived(row: Row, archived: boolean): void {
  refuseWhileLeased(row);
  if (row.archived === archived)
    throw new UserError('nothing_to_do', `The thread ${row.id} is ${archived ? '' : 'not '}archived.`);
  row.archived = archived;
}

function logOf(row: Row, rows: Rows, onAppend: (lines: readonly LogLine[]) => void): Log {
  const epoch = ++row.epoch;
  row.leased = true;
  const lost = new AbortController();
  let last = Promise.resolve();

  async function insert(lines: readonly LogLine[]): Promise<void> {
    // As slow as a database.
    for (let rounds = 0; rounds < 3; rounds++) await round();
    if (row.epoch !== epoch) lost.abort(new LostThread(`The thread ${row.id} has another owner.`));
    lost.signal.throwIfAborted();
    row.changedAt = Date.now();
    row.lines.push(...lines.map((line, index) => encodeLine(line, row.lines.length + index, row.changedAt)));
    if (lines.length > 0) rows.set(row.id, row);
  }

  return {
    label: row.id,
    path: null,
    durable: true,
    pipelined: true,
    lost: lost.signal,
    append(lines) {
      onAppend(lines);
      const done = last.then(() => insert(lines));
      last = done;
      // Appends that were called in the meantime fail with this one. Later ones do not.
      done.catch(() => {
        last = Promise.resolve();
      });
      return done;
    },
    rest() {},
    async close() {
      await last.catch(() => {});
      if (row.epoch === epoch) row.leased = false;
    },
  };
}

function summaryOf(row: Row, facts: Awaited<ReturnType<typeof threadFacts>>): ThreadSummary {
  const { id, name, archived, lines, changedAt } = row;
  const unknown = {
    cwd: null,
    preview: null,
    source: null,
    provider: null,
    model: null,
    forkedFrom: null,
    metadata: {},
  };
  return {
    ...{ id, name, archived, label: id, path: null },
    ...(facts ?? { ...unknown, startedAt: new Date(changedAt).toISOString() }),
    changedAt: new Date(changedAt).toISOString(),
    bytes: lines.reduce((sum, line) => sum + line.length, 0),
    note: facts ? null : 'It has no first line.',
  };
}
