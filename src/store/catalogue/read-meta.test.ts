import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readMeta } from './read-meta.ts';

function file(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'meta-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'rollout.jsonl');
  writeFileSync(path, content);
  return path;
}

const meta = { id: 'one', cwd: '/', timestamp: '2026-01-02T03:04:05.678Z' };
const line = (payload: object) => `${JSON.stringify({ type: 'session_meta', payload })}\n`;

test('the first line is read, however long it is', () => {
  expect(readMeta(file(`${line(meta)}{"more":1}\n`))).toEqual(meta);
  const long = { ...meta, base_instructions: { text: 'ä'.repeat(100_000) } };
  expect(readMeta(file(line(long)))).toEqual(long);
});

test('a file without a valid first line has no meta', () => {
  for (const text of ['', line(meta).trimEnd(), 'garbage\n', '{"type":"event_msg","payload":{}}\n', line({ id: 1 })]) {
    expect(readMeta(file(text))).toBeUndefined();
  }
  expect(readMeta('/nowhere/at/all')).toBeUndefined();
});
