import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { itemText } from '../../base/item-text.ts';
import type { LogLine } from '../../base/log.ts';
import { decodeLines } from '../../log/decode-lines.ts';
import { openRolloutFile } from '../catalogue/rollout-catalogue.ts';
import { testHome } from '../test-rollouts.ts';
import { openRolloutLog } from './rollout-log.ts';

const now = () => Date.UTC(2026, 0, 2, 3, 4, 5);

function openLog(home = testHome(), name = 'x.jsonl') {
  const path = join(home, name);
  return { home, path, ...openRolloutLog({ home, id: name, path, now, gate: (line) => line }) };
}

const message = (text: string): LogLine => ({
  type: 'response_item',
  payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

async function readPayloads(home: string, path: string): Promise<unknown[]> {
  const payloads: unknown[] = [];
  const { read } = await openRolloutFile(home, path);
  for await (const { line } of decodeLines(read(), (one) => one)) payloads.push(line.payload);
  return payloads;
}

test('a line has a time, an ordinal, a type and a payload, and only the owner may read the file', async () => {
  const { log, path } = openLog(testHome(), 'a/b.jsonl');
  await log.append([message('one')]);
  await log.append([{ type: 'oxbow', payload: { kind: 'call.started', call_id: 'c' } }]);
  await log.close();
  const item = message('one').payload;
  expect(readFileSync(path, 'utf8').split('\n')).toEqual([
    `{"timestamp":"2026-01-02T03:04:05.000Z","ordinal":0,"type":"response_item","payload":${JSON.stringify(item)}}`,
    '{"timestamp":"2026-01-02T03:04:05.000Z","ordinal":1,"type":"oxbow","payload":{"kind":"call.started","call_id":"c"}}',
    '',
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('an item is written with the same characters as in a request', async () => {
  const { log, path } = openLog();
  const line = message('äöü \u2028 "quoted"');
  await log.append([line]);
  expect(readFileSync(path, 'utf8')).toContain(`"payload":${itemText(line.payload as never)}`);
  await log.close();
});

test('appended lines are read back, with any texts and in any groups', async () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a\u2028b\r\n', ',"oxbow_more":1}'));
  const groups = fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  const home = testHome();
  let files = 0;
  await fc.assert(
    fc.asyncProperty(groups, async (texts) => {
      const { log, path } = openLog(home, `${files++}.jsonl`);
      await Promise.all(texts.map((group) => log.append(group.map(message))));
      await log.close();
      expect(await readPayloads(home, path)).toEqual(texts.flat().map((one) => message(one).payload));
    }),
    { numRuns: 50 },
  );
});

test('a file that is cut anywhere has only complete groups, for readers and for the next append', async () => {
  const { log, home, path } = openLog();
  const groups = [['one'], ['two', 'three', ',"oxbow_more":1}'], ['four'], ['five', 'six']];
  const ends: number[] = [0];
  for (const group of groups) {
    await log.append(group.map(message));
    ends.push(statSync(path).size);
  }
  await log.close();
  const whole = readFileSync(path);
  for (let cut = 0; cut <= whole.length; cut++) {
    writeFileSync(path, whole.subarray(0, cut));
    const kept = groups
      .slice(
        0,
        ends.findLastIndex((end) => end <= cut),
      )
      .flat();
    expect(await readPayloads(home, path), `cut at ${cut}`).toEqual(kept.map((text) => message(text).payload));
    const again = openRolloutLog({ home, id: 'x', path, now, gate: (line) => line });
    again.take();
    for await (const _ of again.lines());
    await again.log.append([message('next')]);
    await again.log.close();
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    expect(
      lines.map((line) => (JSON.parse(line) as { ordinal: number }).ordinal),
      `cut at ${cut}`,
    ).toEqual([...kept, 'next'].map((_, n) => n));
  }
});

test('a group with a line that cannot be written is not written at all', async () => {
  const { log, path } = openLog();
  await log.append([message('one')]);
  const before = readFileSync(path);
  const strange = { type: 'oxbow', payload: { kind: 'call.started', call_id: 1n } } as unknown as LogLine;
  await expect(log.append([message('two'), strange])).rejects.toThrow('The thread cannot be kept in');
  expect(readFileSync(path)).toEqual(before);
  await log.append([message('two'), message('three')]);
  await log.close();
  expect(readFileSync(path, 'utf8')).toMatch(/"ordinal":0,.*\n.*"ordinal":1,.*"oxbow_more":1\}\n.*"ordinal":2,.*\n$/);
});

test('half a line at the end is ignored by readers and removed before the next append', async () => {
  const { log, home, path } = openLog();
  await log.append([message('whole')]);
  await log.close();
  appendFileSync(path, '{"timestamp":"2026","type":"response_item","payl');
  expect(await readPayloads(home, path)).toHaveLength(1);
  const again = openLog(home);
  await again.log.append([message('next')]);
  await again.log.close();
  expect(await readPayloads(home, path)).toEqual([message('whole').payload, message('next').payload]);
  expect(readFileSync(path, 'utf8')).toContain('"ordinal":1,');
});

test('half a group stays if another program appended to it', async () => {
  const { log, home, path } = openLog();
  await log.append([message('one'), message('two')]);
  await log.close();
  truncateSync(path, readFileSync(path).indexOf('\n') + 1);
  appendFileSync(path, `${JSON.stringify({ timestamp: '', ...message('of Codex') })}\n`);
  expect(await readPayloads(home, path)).toEqual([message('one').payload, message('of Codex').payload]);
});

test('a broken line in the middle is reported with its number, and the other lines are read', async () => {
  const home = testHome();
  const path = join(home, 'x.jsonl');
  const line = JSON.stringify({ timestamp: '', type: 'oxbow', payload: { kind: 'call.started', call_id: 'c' } });
  writeFileSync(path, `${line}\n{oops\n{"type":"world_state","payload":{}}\n${line}\n`);
  const faults: string[] = [];
  let count = 0;
  const { read } = await openRolloutFile(home, path);
  const onFault = ({ number }: { number: number }, fault: string) => faults.push(`${number} ${fault}`);
  for await (const _ of decodeLines(read(), (one) => one, onFault)) count++;
  expect(count).toBe(2);
  expect(faults).toEqual([expect.stringMatching(/^2 is not JSON/)]);
});

test('the error for a file that cannot be written names the file and a way out', async () => {
  const home = testHome();
  writeFileSync(join(home, 'a file'), '');
  const { log, path } = openLog(home, 'a file/x.jsonl');
  await expect(log.append([message('x')])).rejects.toThrow(`The thread cannot be kept in ${path}: `);
  await expect(log.append([message('x')])).rejects.toMatchObject({
    code: 'storage',
    remedy: { type: 'keep_no_record' },
  });
});
