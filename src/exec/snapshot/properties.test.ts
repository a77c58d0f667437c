import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentOf, createSnapshotScene, type SnapshotScene } from './test-snapshots.ts';

const NAMES = ['a', 'b', 'c.txt', 'ü', '\xff', '-x', '.hidden'];
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const entry = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('file' as const), content: fc.uint8Array({ maxLength: 40 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('link' as const), target: fc.constantFrom('a', '../b', '/etc') }),
  },
);
const mode = fc.constantFrom(0o644, 0o755, 0o600, 0o400);
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('put' as const), path, entry, mode }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('remove' as const), path }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('chmod' as const), path, mode }) },
);

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const diskPathOf = ({ root }: SnapshotScene, name: string) => Buffer.from(`${root}/${name}`, 'latin1');

function apply(s: SnapshotScene, one: Change): void {
  const full = diskPathOf(s, one.path);
  if (one.type === 'put') {
    const names = one.path.split('/');
    for (let n = 1; n < names.length; n++) makeFolder(diskPathOf(s, names.slice(0, n).join('/')));
    rmSync(full, { recursive: true, force: true });
    if (one.entry.kind === 'link') symlinkSync(one.entry.target, full);
    else writeFileSync(full, one.entry.content);
    if (one.entry.kind === 'file') chmodSync(full, one.mode);
  } else if (leadsThroughLink(s, one.path)) return;
  else if (one.type === 'remove') rmSync(full, { recursive: true, force: true });
  else if (statOf(full)?.isFile()) chmodSync(full, one.mode);
}

function makeFolder(full: Buffer): void {
  if (statOf(full)?.isDirectory()) return;
  rmSync(full, { force: true });
  mkdirSync(full);
}

function leadsThroughLink(s: SnapshotScene, name: string): boolean {
  const names = name.split('/');
  return names.slice(1).some((_, n) => !statOf(diskPathOf(s, names.slice(0, n + 1).join('/')))?.isDirectory());
}

const statOf = (full: Buffer) => lstatSync(full, { throwIfNoEntry: false });

/** Drops folders without files, which are not part of a snapshot. */
function withoutEmptyFolders(content: Record<string, string>): Record<string, string> {
  const paths = Object.keys(content);
  const isUsed = (name: string) => paths.some((other) => !other.endsWith('/') && other.startsWith(name));
  return Object.fromEntries(Object.entries(content).filter(([name]) => !name.endsWith('/') || isUsed(name)));
}

test('a restore returns any workspace to its snapshot after any changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.array(change, { maxLength: 12 }), async (first, then) => {
      const s = createSnapshotScene({ repository: false });
      try {
        for (const one of first) apply(s, one);
        const before = withoutEmptyFolders(contentOf(s.root));
        const { name } = await s.keep();
        for (const one of then) apply(s, one);
        const spoiled = withoutEmptyFolders(contentOf(s.root));
        const { failed, undo } = await s.restore(name);
        expect(failed).toEqual([]);
        expect(withoutEmptyFolders(contentOf(s.root))).toEqual(before);
        expect((await s.restore(name, { dryRun: true })).steps).toEqual([]);
        if (undo !== null) await s.restore(undo);
        expect(withoutEmptyFolders(contentOf(s.root))).toEqual(spoiled);
      } finally {
        s.dispose();
      }
    }),
    { numRuns: 25 },
  );
}, 120_000);
