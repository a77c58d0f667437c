import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { addName, readNames, removeNames } from './thread-names.ts';

function makeHome(): { home: string; index: string } {
  const home = mkdtempSync(join(tmpdir(), 'names-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return { home, index: join(home, 'session_index.jsonl') };
}

test('a name is a line in the format of Codex, only the owner may read the file, and the last name counts', () => {
  const { home, index } = makeHome();
  addName(home, 'a', 'first', 0);
  addName(home, 'b', 'other', 1000);
  addName(home, 'a', '  second ', 2000);
  expect(readNames(home)).toEqual(
    new Map([
      ['a', 'second'],
      ['b', 'other'],
    ]),
  );
  expect(readFileSync(index, 'utf8').split('\n')[1]).toBe(
    '{"id":"b","thread_name":"other","updated_at":"1970-01-01T00:00:01.000Z"}',
  );
  expect(statSync(index).mode & 0o777).toBe(0o600);
});

test('half a line and unknown lines are ignored, and the next name is not appended to them', () => {
  const { home, index } = makeHome();
  writeFileSync(index, '[]\n{"id":7,"thread_name":"x"}\n{"id":"a","thread_name":"one"}\n{"id":"b","thr');
  expect(readNames(home)).toEqual(new Map([['a', 'one']]));
  addName(home, 'b', 'two', 0);
  expect(readNames(home).get('b')).toBe('two');
});

test('control characters are left out of names that others wrote', () => {
  const { home, index } = makeHome();
  writeFileSync(index, `${JSON.stringify({ id: 'a', thread_name: 'one\n\u001b[31mtwo' })}\n`);
  expect(readNames(home).get('a')).toBe('one [31mtwo');
});

test('removing the names of one thread keeps all others', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.string({ minLength: 1 })), { maxLength: 8 }),
      (entries) => {
        const { home, index } = makeHome();
        writeFileSync(index, '');
        for (const [id, thread_name] of entries) appendFileSync(index, `${JSON.stringify({ id, thread_name })}\n`);
        const before = new Map(readNames(home));
        removeNames(home, 'a');
        before.delete('a');
        expect(readNames(home)).toEqual(before);
        expect(readFileSync(index, 'utf8')).not.toContain('"id":"a"');
      },
    ),
    { numRuns: 50 },
  );
});

test('the file may be missing, or not writable', () => {
  const { home } = makeHome();
  removeNames(home, 'a');
  expect(readNames(home).size).toBe(0);
  expect(() => addName(join(home, 'file', '\0'), 'a', 'x', 0)).toThrow(/^The name cannot be kept in /);
});
