import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { lineHead } from '../../log/line-head.ts';
import { linesBack } from './lines-back.ts';
import { countLines, readLines } from './read-lines.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lines-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const piece = fc.oneof(
  fc.constantFrom(
    '\n',
    '\n',
    'x'.repeat(300),
    '{"timestamp":"t","ordinal":7,"type":"oxbow","payload":{"kind":"repair"}}',
  ),
  fc.string({ unit: 'binary' }),
);
const content = fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.from(pieces.join('')));

test('lines are the same from the front and from the back, in blocks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(content, fc.integer({ min: 1, max: 40 }), async (bytes, blockBytes) => {
      const fd = openSync(write(bytes), 'r');
      try {
        const wanted = bytes.toString('latin1').split('\n').slice(0, -1);
        const forward: string[] = [];
        const part = { path: 'lines', fd, from: 0, to: bytes.length };
        const numbers: number[] = [];
        for await (const line of readLines(part, blockBytes)) {
          forward.push(line.bytes.toString('latin1'));
          numbers.push(line.number);
        }
        expect(numbers).toEqual(wanted.map((_, n) => n + 1));
        expect(forward).toEqual(wanted);
        const back = [...linesBack({ fd, from: 0, to: bytes.length }, blockBytes)].reverse();
        expect(back.map(({ start, end }) => bytes.toString('latin1', start, end))).toEqual(
          wanted.map((line) => `${line}\n`),
        );
        expect(back.map(({ head }) => head)).toEqual(back.map(({ start, end }) => lineHead(bytes, start, end)));
        expect(countLines(fd, bytes.length)).toBe(wanted.length);
      } finally {
        closeSync(fd);
      }
    }),
    { numRuns: runs(300) },
  );
});

test('a line longer than a block is one line', async () => {
  const bytes = Buffer.concat([Buffer.alloc(3_000_000, 'a'), Buffer.from('\nlast\n'), Buffer.alloc(700_000, 'b')]);
  const fd = openSync(write(bytes), 'r');
  try {
    const lengths: number[] = [];
    const part = { path: 'lines', fd, from: 0, to: bytes.length };
    for await (const line of readLines(part)) lengths.push(line.bytes.length);
    expect(lengths).toEqual([3_000_000, 4]);
    expect([...linesBack({ fd, from: 0, to: bytes.length })].map(({ start, end }) => end - start)).toEqual([
      5, 3_000_001,
    ]);
  } finally {
    closeSync(fd);
  }
});

test('a head is what parsing the line would return, or undefined', () => {
  const word = fc.constantFrom('event_msg', 'oxbow', 'token_count', 'a.b_c', 'UPPER', '', 'ü', 'x'.repeat(50));
  const head = fc.record({
    timestamp: fc.oneof(fc.constant('2026-01-02T03:04:05.678Z'), fc.string()),
    ordinal: fc.option(fc.oneof(fc.nat(), fc.constant(-1), fc.constant(1.5)), { nil: undefined }),
    type: word,
    payload: fc.record({ first: fc.constantFrom('type', 'kind', 'other'), value: word }),
  });
  fc.assert(
    fc.property(head, ({ payload, ...rest }) => {
      const value = { ...rest, payload: { [payload.first]: payload.value } };
      const bytes = Buffer.from(JSON.stringify(value));
      const told = lineHead(bytes, 0, bytes.length);
      if (!told) return;
      expect(told).toMatchObject({ type: rest.type, ordinal: rest.ordinal });
      if (told.kind !== undefined) expect(Object.values(value.payload)).toEqual([told.kind]);
    }),
  );
  const usual = Buffer.from(
    '{"timestamp":"2026-01-02T03:04:05.678Z","type":"event_msg","payload":{"type":"task_started"}}',
  );
  expect(lineHead(usual, 0, usual.length)).toEqual({ type: 'event_msg', ordinal: undefined, kind: 'task_started' });
});

function write(bytes: Buffer): string {
  const path = join(folder, 'lines');
  writeFileSync(path, bytes);
  return path;
}
