import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeFolder, encodeFolder, isPlainName, type SnapshotFolder } from './folder-object.ts';
import type { FolderEntry, LeftReason } from './tree.ts';

const id = fc.stringMatching(/^[0-9a-f]{40}$/);
const mode = fc.integer({ min: 0, max: 0o777 });
/** Any bytes, one per character. */
const name = fc
  .uint8Array({ minLength: 1, maxLength: 20 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'))
  .filter(isPlainName);
const entry: fc.Arbitrary<FolderEntry> = fc.oneof(
  fc.record({ kind: fc.constant('file' as const), mode, id }),
  fc.record({ kind: fc.constant('folder' as const), mode, id }),
  fc.record({ kind: fc.constant('link' as const), id }),
  fc.record({ kind: fc.constant('left' as const), reason: fc.constantFrom<LeftReason>('ignored', 'large') }),
);
const folder = fc.uniqueArray(fc.tuple(name, entry), { selector: ([one]) => one });

const sorted = (entries: SnapshotFolder) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

test('a folder with any names is decoded from its bytes', () => {
  fc.assert(
    fc.property(folder, (entries) => {
      expect(sorted(decodeFolder(encodeFolder(entries)) ?? [])).toEqual(sorted(entries));
    }),
  );
});

test('the order of the entries makes no difference', () => {
  fc.assert(
    fc.property(folder, (entries) => {
      expect(encodeFolder([...entries].reverse())).toEqual(encodeFolder(entries));
    }),
  );
});

test('bytes that are not a folder are refused without an exception', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => decodeFolder(bytes) === undefined));
  expect(decodeFolder(encodeFolder([]).subarray(0, -1))).toBeUndefined();
});

test.each(['', '.', '..', 'a/b', 'a\0b', '.git', '.GIT'])('%j is not the name of a kept file', (bad) => {
  const id = '0'.repeat(40);
  expect(isPlainName(bad)).toBe(false);
  expect(decodeFolder(encodeFolder([[bad, { kind: 'link', id }]]))).toBeUndefined();
});
