import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isRecord } from '../../base/json-schema.ts';

/** A snapshot with its thread and its time. */
export interface SnapshotRecord {
  readonly id: string;
  readonly thread: string;
  readonly at: number;
}

export function addRecord(path: string, record: SnapshotRecord): void {
  appendFileSync(path, `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

/** Returns the records, without lines that were not completely written. */
export function readRecords(path: string): readonly SnapshotRecord[] {
  return textOf(path).split('\n').flatMap(parse);
}

export function writeRecords(path: string, records: readonly SnapshotRecord[]): void {
  const temporary = `${path}-${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, records.map((record) => `${JSON.stringify(record)}\n`).join(''), { mode: 0o600 });
  renameSync(temporary, path);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function parse(line: string): SnapshotRecord[] {
  try {
    const record: unknown = JSON.parse(line);
    return isRecord(record) && typeof record.id === 'string' ? [record as unknown as SnapshotRecord] : [];
  } catch {
    return [];
  }
}
