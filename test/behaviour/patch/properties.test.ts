import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeText } from '../../../src/patch/change-text.ts';
import { gitDiff } from '../../../src/patch/git-diff.ts';
import { type Hunk, parsePatch } from '../../../src/patch/parse-patch.ts';
import { PatchError } from '../../../src/patch/patch-error.ts';
import { quotePath } from '../../../src/patch/unified-path.ts';
import { runs } from '../../harness/runs.ts';
import { readScenarios } from './read-scenarios.ts';
import { type EndedLine, expectedText, renderUpdate } from './render-patch.ts';

/** Few different lines, so that many are equal, and lines that look like a marker or like each other. */
const line = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    ' a',
    'a ',
    '',
    '  ',
    '}',
    '\t}',
    'x – y',
    'x - y',
    '“x”',
    '-- x',
    '++ x',
    '- x',
    '@@',
    '@@ x',
  ),
  fc.constantFrom(
    '@@ -1,1 +1,1 @@',
    '-1,1 +1,1 @@',
    '*** End Patch',
    '*** End of File',
    '*** Add File: x',
    '\\ No newline',
  ),
  fc.string({ maxLength: 6 }).map((text) => text.replace(/[\r\n]/g, '')),
);
const ending = fc.constantFrom('\n', '\r\n', '\r');
const plainLines = fc.array(line, { maxLength: 30 });

/** Lines with one kind of ending, or with several; the last may have none. */
const endedLines = fc
  .tuple(plainLines, ending, fc.array(ending, { maxLength: 30 }), fc.boolean())
  .map(([lines, usual, others, isBare]) =>
    lines.map((text, at) => {
      const isLast = at === lines.length - 1;
      return { text, ending: isLast && isBare && text !== '' ? '' : (others[at] ?? usual) };
    }),
  )
  // A carriage return followed directly by a line feed is one ending.
  .filter((lines) => !mergesEndings(lines));

const wholeOf = (lines: readonly EndedLine[]) => lines.map((ended) => ended.text + ended.ending).join('');

const mergesEndings = (lines: readonly EndedLine[]) =>
  lines.some((ended, at) => ended.ending === '\r' && lines[at + 1]?.text === '' && lines[at + 1]?.ending === '\n');

/** Returns another version of some lines: some removed, some new, some moved. */
function versionsOf(lines: readonly string[]): fc.Arbitrary<string[]> {
  const edit = fc.tuple(fc.nat(40), fc.nat(3), fc.array(line, { maxLength: 3 }));
  return fc.array(edit, { minLength: 1, maxLength: 5 }).map((edits) => {
    const changed = [...lines];
    for (const [at, gone, fresh] of edits) changed.splice(at % (changed.length + 1), gone, ...fresh);
    return changed;
  });
}

const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '\r')), { maxLength: 30 })
  .map((parts) => parts.map((part) => part.join('')).join(''))
  .chain((whole) => fc.constantFrom(whole, whole.replace(/[\r\n]+$/, '')));

/**
 * Reports whether git and we see the same lines. A file with only carriage returns is one line to git, and several to
 * us.
 */
const isByFeeds = (whole: string) => whole.includes('\n') || !whole.includes('\r');

const RUNS = { numRuns: runs(1500) };

describe('the patch of a diff makes the changes of the diff', () => {
  test('in Codex’s format, with any line endings', () => {
    const cases = endedLines.chain((before) =>
      fc.tuple(fc.constant(before), versionsOf(before.map((ended) => ended.text))),
    );
    fc.assert(
      fc.property(cases, ([before, after]) => {
        const texts = before.map((ended) => ended.text);
        fc.pre(texts.join('\n') !== after.join('\n'));
        const [hunk, ...more] = parsePatch(renderUpdate('some file', texts, after));
        expect(more).toEqual([]);
        expect(hunk).toMatchObject({ type: 'update', path: 'some file' });
        expect(changeText(wholeOf(before), chunksOf(hunk), 'some file')).toBe(expectedText(before, after));
      }),
      RUNS,
    );
  });

  test('as a unified diff, including changes of line endings', () => {
    const cases = text.chain((before) =>
      fc.tuple(
        fc.constant(before),
        fc.oneof(
          text,
          versionsOf(before.split('\n')).map((lines) => lines.join('\n')),
        ),
      ),
    );
    fc.assert(
      fc.property(cases, ([before, after]) => {
        fc.pre(before !== after && isByFeeds(before));
        const [hunk, ...more] = parsePatch(gitDiff({ path: 'a file.txt', before, after }));
        expect(more).toEqual([]);
        expect(hunk).toMatchObject({ type: 'update', path: 'a file.txt' });
        expect(changeText(before, chunksOf(hunk), 'a file.txt')).toBe(after);
      }),
      RUNS,
    );
  });

  test('for a new, deleted or moved file', () => {
    const path = fc.constantFrom('x', 'a/b', 'b/b/c d.txt', 'ä "q" \\ \t.txt', 'o b/o', '2024-01-01 x');
    fc.assert(
      fc.property(text, path, path, (whole, from, to) => {
        expect(parsePatch(gitDiff({ path: to, before: null, after: whole }))).toEqual([
          { type: 'add', path: to, text: whole },
        ]);
        expect(parsePatch(gitDiff({ path: from, before: whole, after: null }))).toEqual([
          { type: 'delete', path: from },
        ]);
        fc.pre(from !== to && isByFeeds(whole));
        const [moved] = parsePatch(gitDiff({ path: from, to, before: whole, after: `${whole}more\n` }));
        expect(moved).toMatchObject({ type: 'update', path: from, to });
        expect(changeText(whole, chunksOf(moved), to)).toBe(`${whole}more\n`);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('for any text', () => {
  const patches = readScenarios().map(({ patch }) => patch);
  const snippet = fc.oneof(line, fc.constantFrom(...patches.flatMap((patch) => patch.split('\n'))));
  const cut = fc.tuple(
    fc.nat(400),
    fc.nat(20),
    fc.oneof(
      snippet,
      snippet.map((piece) => `\n${piece}\n`),
    ),
  );
  const mutated = fc.tuple(fc.constantFrom(...patches), fc.array(cut, { maxLength: 4 })).map(([patch, cuts]) =>
    cuts.reduce((whole, [at, gone, piece]) => {
      const place = at % (whole.length + 1);
      return whole.slice(0, place) + piece + whole.slice(place + gone);
    }, patch),
  );
  const anything = fc.oneof(
    mutated,
    fc.string({ maxLength: 200 }),
    fc.array(snippet).map((lines) => lines.join('\n')),
  );

  test('only PatchError is thrown, and only files that the patch names are touched', () => {
    fc.assert(
      fc.property(anything, text, (patch, before) => {
        for (const hunk of orPatchError(() => parsePatch(patch)) ?? []) {
          for (const path of pathsIn(hunk)) expect(patch.includes(path) || patch.includes('"')).toBe(true);
          expect(pathsIn(hunk)).not.toContain('');
          if (hunk.type === 'update') orPatchError(() => changeText(before, hunk.chunks, 'f'));
        }
      }),
      { numRuns: runs(5000) },
    );
  });

  test('quoted names come back unchanged', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (path) => {
        fc.pre(Buffer.from(path).toString() === path && path.trim() === path && path !== '/dev/null');
        const diff = `--- /dev/null\n+++ ${quotePath(`b/${path}`)}\t\n@@ -0,0 +1 @@\n+x\n`;
        expect(parsePatch(diff)).toEqual([{ type: 'add', path, text: 'x\n' }]);
      }),
      { examples: [['\u0000\uf700']] },
    );
  });
});

function chunksOf(hunk: Hunk | undefined) {
  return hunk?.type === 'update' ? hunk.chunks : [];
}

function pathsIn(hunk: Hunk): string[] {
  return hunk.type === 'update' && hunk.to !== undefined ? [hunk.path, hunk.to] : [hunk.path];
}

function orPatchError<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof PatchError) return undefined;
    throw error;
  }
}
