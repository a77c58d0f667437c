// Threads in one file that only grows. Each line is one change, so a change is in the file whole or not at all.
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';

/** @typedef {{ id: string, lines: string[], name: string | null, archived: boolean, changedAt: number }} Row */
/** @typedef {{ id: string, lines?: string[], name?: string, archived?: boolean, deleted?: true, at: number }} Change */
/** @typedef {{ label: string, rows: Map<string, Row>, owners: Map<string, object>, keep(change: Change): void }} ThreadsFile */

/** Reads the file, without a half line at its end. @param {string} path @returns {ThreadsFile} */
export function openThreadsFile(path) {
  /** @type {Map<string, Row>} */
  const rows = new Map();
  /** @param {Change} change */
  const apply = ({ id, lines = [], name, archived, deleted, at }) => {
    const row = rows.get(id) ?? { id, lines: [], name: null, archived: false, changedAt: at };
    row.lines.push(...lines);
    if (lines.length > 0) row.changedAt = at;
    rows.set(id, { ...row, name: name ?? row.name, archived: archived ?? row.archived });
    if (deleted) rows.delete(id);
  };
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const whole = bytes.lastIndexOf('\n') + 1;
  if (whole < bytes.length) truncateSync(path, whole);
  for (const line of bytes.toString('utf8', 0, whole).split('\n')) if (line !== '') apply(JSON.parse(line));
  return {
    label: path,
    rows,
    owners: new Map(),
    keep(change) {
      // `flush` waits for the disk on Node 21 and later.
      appendFileSync(path, `${JSON.stringify(change)}\n`, { flush: true });
      apply(change);
    },
  };
}
