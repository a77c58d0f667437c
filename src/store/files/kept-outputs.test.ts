import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { createKeptOutputs } from './kept-outputs.ts';

function home(): string {
  const path = mkdtempSync(join(tmpdir(), 'oxbow-outputs-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test('outputs that alternate are read apart, while they grow and after they ended', () => {
  const folder = home();
  let names = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 3 }), fc.string({ unit: 'grapheme' }))), (writes) => {
      const outputs = createKeptOutputs(folder, `thread-${names++}`);
      const open = [0, 1, 2, 3].map((item) => outputs.begin(String(item)));
      const told = ['', '', '', ''];
      for (const [item, text] of writes) {
        open[item]?.write(Buffer.from(text));
        told[item] += text;
        expect(outputs.read(String(item))).toEqual({ text: told[item], isWhole: true });
      }
      for (const one of open) one.end('');
      expect([0, 1, 2, 3].map((item) => outputs.read(String(item))?.text)).toEqual(told);
      expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).includes('thread'))).toEqual([]);
      outputs.close();
      expect(outputs.read('0')).toBeUndefined();
    }),
    { numRuns: runs(50) },
  );
});

test('an output is kept up to its limit, and the text of the end if no bytes came', () => {
  const outputs = createKeptOutputs(home(), 'thread', { mostOfCommand: 10 });
  const long = outputs.begin('long');
  long.write(Buffer.from('12345678'));
  expect(outputs.read('long')).toEqual({ text: '12345678', isWhole: true });
  long.write(Buffer.from('90abc'));
  long.write(Buffer.from('def'));
  long.end('something else');
  expect(outputs.read('long')).toEqual({ text: '1234567890', isWhole: false });
  outputs.begin('told').end('at once');
  expect(outputs.read('told')).toEqual({ text: 'at once', isWhole: true });
  expect(outputs.read('other')).toBeUndefined();
  outputs.close();
});

test('a home that cannot be written to keeps nothing', () => {
  const outputs = createKeptOutputs('/dev/null/home', 'thread');
  const one = outputs.begin('one');
  one.write(Buffer.from('text'));
  one.end('text');
  expect(outputs.read('one')).toBeUndefined();
  outputs.close();
});
