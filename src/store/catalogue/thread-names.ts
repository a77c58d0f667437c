import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import { isRecord } from '../../base/json-schema.ts';

/**
 * Returns the names of threads by id, from the file in which Codex keeps them. If an id has several names, the last one
 * counts. Control characters, which Codex allows in names, are left out.
 */
export function readNames(home: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const line of readIndex(home).split('\n')) {
    const entry = readEntry(line);
    if (entry) names.set(entry.id, entry.name);
  }
  return names;
}

/** Names a thread by appending a line to the file. Throws `UserError` if the file cannot be written. */
export function addName(home: string, id: string, name: string, now: number): void {
  const line = JSON.stringify({ id, thread_name: name, updated_at: new Date(now).toISOString() });
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    appendLine(indexPath(home), line);
  } catch (error) {
    throw new UserError('storage', `The name cannot be kept in ${indexPath(home)}: ${fileFault(error)}.`);
  }
}

/** Removes every name of a thread from the file. */
export function removeNames(home: string, id: string): void {
  for (;;) {
    const before = readIndex(home);
    const kept = before.split('\n').filter((line) => readEntry(line)?.id !== id);
    const after = kept.join('\n');
    if (after === before) return;
    const draft = `${indexPath(home)}.${process.pid}`;
    writeFileSync(draft, after, { mode: 0o600 });
    // Another process may have named a thread meanwhile. Its line must not be lost.
    if (readIndex(home) !== before) continue;
    renameSync(draft, indexPath(home));
    return;
  }
}

function indexPath(home: string): string {
  return join(home, 'session_index.jsonl');
}

function readIndex(home: string): string {
  try {
    return readFileSync(indexPath(home), 'utf8');
  } catch {
    return '';
  }
}

function readEntry(line: string): { id: string; name: string } | undefined {
  if (line === '') return undefined;
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value) || typeof value.id !== 'string' || typeof value.thread_name !== 'string') return undefined;
    return { id: value.id, name: value.thread_name.replace(/\p{Cc}+/gu, ' ').trim() };
  } catch {
    return undefined;
  }
}

function appendLine(path: string, line: string): void {
  const fd = openSync(path, 'a+', 0o600);
  try {
    writeFileSync(fd, `${endsWithLine(fd) ? '' : '\n'}${line}\n`);
  } finally {
    closeSync(fd);
  }
}

/**
 * Reports whether the file ends with a line feed. A line must not be appended to half a line that a dying process left.
 */
function endsWithLine(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}
