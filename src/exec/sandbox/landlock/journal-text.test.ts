import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/harness/runs.ts';
import { formatName, type JournalName, parseName } from './journal-name.ts';
import { decodeJournal, encodeJournal, fingerprintOf } from './journal-text.ts';
import type { Remembered } from './remember-tree.ts';

const name = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => !/^\.{1,2}$|[/\0]/.test(text));
const mode = fc.nat(0o7777);

const { tree } = fc.letrec<{ tree: Remembered }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constant<Remembered>({ type: 'nothing' }),
    fc.record({ type: fc.constant('link' as const), target: fc.string() }),
    fc.record({ type: fc.constant('other' as const), mark: fc.string() }),
    fc.record({
      type: fc.constant('file' as const),
      mode,
      content: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      mark: fc.string(),
    }),
    fc.record({
      type: fc.constant('folder' as const),
      mode,
      mark: fc.string(),
      entries: fc.record({
        isRepository: fc.boolean(),
        traps: fc.uniqueArray(fc.string()).map((keys) => new Set(keys)),
        known: fc.array(fc.tuple(name, tie('tree')), { maxLength: 4 }).map((entries) => new Map(entries)),
      }),
    }),
  ),
}));
const trees = fc.array(fc.tuple(fc.string(), tree), { maxLength: 4 }).map((entries) => new Map(entries));

test('a journal is read as it was written', () => {
  fc.assert(
    fc.property(trees, (state) => {
      expect(decodeJournal(encodeJournal(state))).toEqual(state);
    }),
    { numRuns: runs(1000) },
  );
});

test('a journal that is cut off or anything else is not read', () => {
  fc.assert(
    fc.property(trees, fc.nat(), (state, cut) => {
      const text = encodeJournal(state);
      expect(decodeJournal(text.slice(0, cut % text.length))).toBeUndefined();
    }),
    { numRuns: runs(500) },
  );
  fc.assert(
    fc.property(fc.json(), (text) => {
      const read = decodeJournal(text);
      if (read !== undefined) expect(decodeJournal(encodeJournal(read))).toEqual(read);
    }),
    { numRuns: runs(500) },
  );
  const sneaky = [
    ['/w/.git', { type: 'folder', mode: 0, mark: '', entries: { known: [['../x', { type: 'nothing' }]], traps: [] } }],
  ];
  expect(decodeJournal(JSON.stringify(sneaky))).toBeUndefined();
});

test('a fingerprint follows marks, modes, links and names', () => {
  const folder = (known: [string, Remembered][], mode = 0o755) =>
    new Map<string, Remembered>([
      [
        '/w/.git',
        {
          type: 'folder',
          mode,
          mark: '1:2:3',
          entries: { isRepository: true, known: new Map(known), traps: new Set<string>() },
        },
      ],
    ]);
  const file: Remembered = { type: 'file', mode: 0o644, content: Buffer.from('a'), mark: '1:4:1:9' };
  const all = [
    folder([]),
    folder([], 0o700),
    folder([['config', file]]),
    folder([['config', { ...file, mark: '1:4:1:10' }]]),
    folder([['config', { type: 'link', target: 'a' }]]),
    folder([['config', { type: 'link', target: 'b' }]]),
    folder([['hooks', file]]),
    new Map<string, Remembered>([['/w/.git', { type: 'nothing' }]]),
  ];
  expect(new Set(all.map(fingerprintOf)).size).toBe(all.length);
});

test('the name of a journal is read as it was made, and is the name of a file', () => {
  const journal: fc.Arbitrary<JournalName> = fc.record({
    owner: fc.record({
      pid: fc.nat(),
      start: fc.option(fc.nat().map(String)),
      boot: fc.option(fc.uuid()),
      space: fc.option(fc.nat().map((number) => `pid:[${number}]`)),
      host: fc.domain(),
    }),
    id: fc.string({ minLength: 1, maxLength: 20 }),
    state: fc.constantFrom('running', 'idle', 'new'),
  });
  fc.assert(
    fc.property(journal, (parts) => {
      const made = formatName(parts);
      expect(made).not.toMatch(/[/\0]/);
      expect(parseName(made)).toEqual(parts);
    }),
    { numRuns: runs(500) },
  );
  fc.assert(
    fc.property(fc.string(), (text) => void parseName(text)),
    { numRuns: runs(500) },
  );
});
