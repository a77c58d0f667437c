import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { changeText } from '../../../src/patch/change-text.ts';
import { gitDiff } from '../../../src/patch/git-diff.ts';
import { parsePatch } from '../../../src/patch/parse-patch.ts';

const folder = mkdtempSync(join(tmpdir(), 'oxbow-git-diff-'));
const git = (args: string[], input?: string) =>
  spawnSync('git', args, { cwd: folder, encoding: 'utf8', ...(input !== undefined && { input }) });

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', '', '}', '-- x', ' c', 'é'), fc.constantFrom('\n', '\n', '\r\n')), {
    maxLength: 30,
  })
  .map((parts) => parts.map((part) => part.join('')).join(''))
  .chain((whole) => fc.constantFrom(whole, whole.replace(/\r?\n$/, '')));

test('git applies the git diffs that Oxbow writes', () => {
  const path = 'some folder/fil é.txt';
  mkdirSync(join(folder, 'some folder'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      writeFileSync(join(folder, path), before);
      const { status, stderr } = git(['apply', '--whitespace=nowarn', '-'], gitDiff({ path, before, after }));
      expect([status, stderr]).toEqual([0, '']);
      expect(readFileSync(join(folder, path), 'utf8')).toBe(after);
    }),
    { numRuns: 60 },
  );
});

test('Oxbow applies git’s diffs, with few context lines or many', () => {
  fc.assert(
    fc.property(text, text, fc.constantFrom(0, 1, 3), (before, after, around) => {
      fc.pre(before !== after);
      writeFileSync(join(folder, 'old'), before);
      writeFileSync(join(folder, 'new'), after);
      const { stdout } = git(['diff', '--no-index', `-U${around}`, 'old', 'new']);
      // Without context, nothing in the diff says that a new line of a file with carriage returns has none.
      fc.pre(around > 0 || stdout.includes('\r') || !before.includes('\r'));
      const [hunk] = parsePatch(stdout);
      expect(hunk).toMatchObject({ type: 'update', path: 'old', to: 'new' });
      expect(changeText(before, hunk?.type === 'update' ? hunk.chunks : [], 'old')).toBe(after);
    }),
    { numRuns: 60 },
  );
});
