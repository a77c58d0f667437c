import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { eachLine } from '../../base/each-line.ts';
import { readBlocks, readLines } from './read-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'oxbow-read-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

const lines = fc.array(
  fc.oneof(
    fc.string(),
    fc.nat(300).map((length) => 'é'.repeat(length)),
  ),
  { maxLength: 40 },
);

test('blocks hold the same lines with the same numbers, however small the buffer is', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.string(), fc.integer({ min: 1, max: 200 }), async (whole, rest, blockBytes) => {
      const path = join(folder, 'file');
      writeFileSync(path, whole.map((line) => `${line}\n`).join('') + rest);
      const fd = openSync(path, 'r');
      try {
        const part = { path, fd, from: 0, to: Buffer.byteLength(whole.map((line) => `${line}\n`).join('') + rest) };
        const inBlocks: [number, string][] = [];
        for await (const block of readBlocks(part, blockBytes)) {
          const { number } = block;
          eachLine(block, (start, end, index) =>
            inBlocks.push([number + index, block.bytes.toString('utf8', start, end)]),
          );
        }
        const oneByOne: [number, string][] = [];
        for await (const { number, bytes } of readLines(part, blockBytes)) oneByOne.push([number, bytes.toString()]);
        expect(inBlocks).toEqual(oneByOne);
        expect(inBlocks.length).toBe(`${whole.join('\n')}\n${rest}`.split('\n').length - (whole.length === 0 ? 2 : 1));
      } finally {
        closeSync(fd);
      }
    }),
    { numRuns: runs(100) },
  );
});

test('a reader that stops leaves nothing behind', async () => {
  const path = join(folder, 'long');
  writeFileSync(path, 'line\n'.repeat(100_000));
  const fd = openSync(path, 'r');
  for await (const { number } of readBlocks({ path, fd, from: 0, to: 500_000 }, 1000)) if (number > 500) break;
  closeSync(fd);
});
