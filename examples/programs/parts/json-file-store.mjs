// A store of threads in a file of threads. For one process: a store for several of them keeps the owners in its
// database, with a lease and a fence.
import {
  chooseThread,
  encodeLine,
  fitsQuery,
  forkLines,
  LostThread,
  noThread,
  threadFacts,
  UserError,
} from 'oxbow/store';

/** @typedef {import('./threads-file.mjs').ThreadsFile} ThreadsFile */
/** @typedef {import('./threads-file.mjs').Row} Row */

/** @param {ThreadsFile} file @returns {import('oxbow/store').ThreadStore} */
export function storeOf(file) {
  const { label, rows, owners, keep } = file;
  /** @param {string} id */
  const rowOf = (id) => {
    const row = rows.get(id);
    if (!row) throw noThread(id, label);
    return row;
  };
  /** @param {string} id */
  const freeRow = (id) => {
    if (owners.has(id)) throw new UserError('in_use', `The thread ${id} belongs to another owner.`);
    return rowOf(id);
  };
  /** @param {string} id */
  async function* read(id) {
    for (const [index, line] of [...rowOf(id).lines].entries())
      yield { label: id, number: index + 1, bytes: Buffer.from(line) };
  }
  /** @param {Row} row @returns {Promise<import('oxbow/store').ThreadSummary>} */
  const summary = async ({ id, name, archived, lines, changedAt }) => {
    const facts = await threadFacts(read(id));
    const time = new Date(changedAt).toISOString();
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
      ...(facts ?? { ...unknown, startedAt: time }),
      changedAt: time,
      bytes: lines.reduce((sum, line) => sum + line.length, 0),
      note: facts ? null : 'It has no first line.',
    };
  };
  const newest = () => [...rows.values()].reverse();
  /** @param {string} id @param {boolean} archived */
  const setArchived = async (id, archived) => {
    if (freeRow(id).archived === archived)
      throw new UserError('nothing_to_do', `The thread ${id} is ${archived ? '' : 'not '}archived.`);
    keep({ id, archived, at: Date.now() });
  };
  return {
    label,
    read,
    create: (id) => logOf(file, id),
    async take(id) {
      if (freeRow(id).archived) throw new UserError('not_found', `The thread ${id} is archived.`);
      return { log: logOf(file, id), lines: read(id), notes: [] };
    },
    async find(reference) {
      const { id, archived } = await chooseThread(reference, newest(), label);
      return { id, archived };
    },
    describe: async (id) => summary(rowOf(id)),
    async *list({ limit = Number.POSITIVE_INFINITY, ...query } = {}) {
      for (const row of newest()) {
        const thread = await summary(row);
        if (!fitsQuery(thread, query)) continue;
        if (limit-- <= 0) return;
        yield thread;
      }
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
      const lines = [];
      for await (const line of forkLines({ read: () => read(id), at, meta, now: Date.now() })) lines.push(`${line}`);
      keep({ id: meta.id, lines, at: Date.now() });
    },
    rename: async (id, name) => keep({ id: rowOf(id).id, name, at: Date.now() }),
    archive: (id) => setArchived(id, true),
    unarchive: (id) => setArchived(id, false),
    delete: async (id) => keep({ id: freeRow(id).id, deleted: true, at: Date.now() }),
    holder: async (id) => (rowOf(id) && owners.has(id) ? { label: 'this process' } : null),
  };
}

/** @param {ThreadsFile} file @param {string} id @returns {import('oxbow/store').Log} */
function logOf({ rows, owners, keep }, id) {
  const owner = {};
  owners.set(id, owner);
  const lost = new AbortController();
  return {
    ...{ label: id, path: null, durable: true, pipelined: false, lost: lost.signal },
    async append(lines) {
      if (owners.get(id) !== owner) lost.abort(new LostThread(`The thread ${id} has another owner.`));
      lost.signal.throwIfAborted();
      const first = rows.get(id)?.lines.length ?? 0;
      const at = Date.now();
      if (lines.length > 0) keep({ id, lines: lines.map((line, index) => encodeLine(line, first + index, at)), at });
    },
    rest() {},
    async close() {
      if (owners.get(id) === owner) owners.delete(id);
    },
  };
}
