import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isRecord } from '../../base/json-schema.ts';

/** One snapshot: for whom it was made, and when. */
export interface KeptRecord {
  readonly id: string;
  readonly thread: string;
  readonly at: number;
}

export function addKept(path: string, record: KeptRecord): void {
  appendFileSync(path, `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

/** Without the lines that nobody finished. */
export function readKept(path: string): readonly KeptRecord[] {
  return textOf(path).split('\n').flatMap(parse);
}

export function writeKept(path: string, records: readonly KeptRecord[]): void {
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

function parse(line: string): KeptRecord[] {
  try {
    const record: unknown = JSON.parse(line);
    return isRecord(record) && typeof record.id === 'string' ? [record as unknown as KeptRecord] : [];
  } catch {
    return [];
  }
}
