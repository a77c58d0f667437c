import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { itemText } from '../base/item-text.ts';
import type { LogLine } from '../base/log.ts';
import { openRollout, rolloutPath } from './rollout.ts';

const world = {
  now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
  uuid: () => 'id',
  random: () => 0,
  sleep: async () => {},
};
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollout-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const message = (text: string): LogLine => ({
  type: 'response_item',
  payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

async function collect(path: string, faults: string[] = []): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of openRollout(path, world, (fault) => faults.push(fault)).read()) lines.push(line);
  return lines;
}

test('a line has a time, an ordinal, a type and a payload, and the file is for its owner only', async () => {
  const path = join(folder, 'a', 'b.jsonl');
  const log = openRollout(path, world, expect.fail);
  await log.append(message('one'));
  await log.append({ type: 'oxbow', payload: { kind: 'call.started', call_id: 'c' } });
  await log.close();
  const item = message('one').payload;
  expect(readFileSync(path, 'utf8').split('\n')).toEqual([
    `{"timestamp":"2026-01-02T03:04:05.000Z","ordinal":0,"type":"response_item","payload":${JSON.stringify(item)}}`,
    '{"timestamp":"2026-01-02T03:04:05.000Z","ordinal":1,"type":"oxbow","payload":{"kind":"call.started","call_id":"c"}}',
    '',
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('an item is written in the very characters that a request carries', async () => {
  const path = join(folder, 'x.jsonl');
  const log = openRollout(path, world, expect.fail);
  const line = message('äöü \u2028 "quoted"');
  await log.append(line);
  expect(readFileSync(path, 'utf8')).toContain(`"payload":${itemText(line.payload as never)}`);
  await log.close();
});

test('what was appended is read back, whatever the texts hold', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('a\u2028b\r\n')), { maxLength: 8 }),
      async (texts) => {
        const path = join(folder, `${Math.random()}.jsonl`);
        const log = openRollout(path, world, expect.fail);
        for (const text of texts) await log.append(message(text));
        await log.close();
        if (texts.length === 0) return;
        const lines = await collect(path);
        expect(lines.map((line) => line.payload)).toEqual(texts.map((text) => message(text).payload));
      },
    ),
    { numRuns: 50 },
  );
});

test('a half line at the end is dropped on reading and cut off before the next is written', async () => {
  const path = join(folder, 'x.jsonl');
  const log = openRollout(path, world, expect.fail);
  await log.append(message('whole'));
  await log.close();
  appendFileSync(path, '{"timestamp":"2026","type":"response_item","payl');
  expect(await collect(path)).toHaveLength(1);
  const again = openRollout(path, world, expect.fail);
  for await (const _ of again.read());
  await again.append(message('next'));
  await again.close();
  const lines = await collect(path);
  expect(lines.map((line) => line.payload)).toEqual([message('whole').payload, message('next').payload]);
  expect(readFileSync(path, 'utf8')).toContain('"ordinal":1,');
});

test('a broken line in the middle is reported with its number and the rest is kept', async () => {
  const path = join(folder, 'x.jsonl');
  const line = JSON.stringify({ timestamp: '', type: 'oxbow', payload: { kind: 'call.started', call_id: 'c' } });
  writeFileSync(path, `${line}\n{oops\n{"type":"world_state","payload":{}}\n${line}\n`);
  const faults: string[] = [];
  expect(await collect(path, faults)).toHaveLength(2);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(/^line 2 is not JSON/);
});

test('the path is made of the local date and time and the thread id', () => {
  const path = rolloutPath('/home', 'the-id', { year: 2026, month: 11, day: 5, hour: 7, minute: 8, second: 9 });
  expect(path).toBe('/home/sessions/2026/11/05/rollout-2026-11-05T07-08-09-the-id.jsonl');
});

test('a file that cannot be written is named, with a way out', async () => {
  const path = join(folder, 'a file', 'x.jsonl');
  writeFileSync(join(folder, 'a file'), '');
  const log = openRollout(path, world, expect.fail);
  await expect(log.append(message('x'))).rejects.toThrow(`The thread cannot be kept in ${path}: `);
  await expect(log.append(message('x'))).rejects.toThrow('--ephemeral keeps no record.');
});
