import { describe, expect, test } from 'vitest';
import { parsePatch } from './parse-patch.ts';
import { PatchError, unreadableForModel, unreadableForTerminal } from './patch-error.ts';

const envelope = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

function failure(patch: string): PatchError {
  try {
    parsePatch(patch);
  } catch (error) {
    if (error instanceof PatchError) return error;
  }
  throw new Error('it was read');
}

test('a chunk keeps old lines, new lines and their order', () => {
  expect(parsePatch(envelope('*** Update File: f', '@@ def f():', ' a', '-b', '+c', '', '*** End of File'))).toEqual([
    {
      type: 'update',
      path: 'f',
      chunks: [{ context: 'def f():', oldLines: ['a', 'b', ''], newLines: ['a', 'c', ''], marks: ' -+ ', atEnd: true }],
    },
  ]);
});

test('a unified header in an update is a hint, and is kept unchanged', () => {
  const chunk = { oldLines: ['a'], newLines: ['b'], marks: '-+', atEnd: false };
  expect(parsePatch(envelope('*** Update File: f', '@@ -7,1 +9,1 @@ def f():', '-a', '+b'))).toEqual([
    {
      type: 'update',
      path: 'f',
      chunks: [{ ...chunk, context: 'def f():', near: 7, header: '@@ -7,1 +9,1 @@ def f():' }],
    },
  ]);
});

test('a plain unified diff has numbers and no header', () => {
  expect(parsePatch('--- a/f\n+++ b/f\n@@ -7 +7 @@ def f():\n-a\n+b\n')).toEqual([
    {
      type: 'update',
      path: 'f',
      chunks: [
        {
          context: 'def f():',
          near: 7,
          oldLines: ['a'],
          newLines: ['b'],
          marks: '-+',
          atEnd: false,
          lastLine: 'kept',
        },
      ],
    },
  ]);
});

describe('the error for a patch that cannot be read', () => {
  test('has different words for the model and the terminal, without a line number', () => {
    const error = failure('hello');
    expect(error.line).toBeUndefined();
    expect(unreadableForModel(error)).toBe("invalid patch: The first line of the patch must be '*** Begin Patch'");
    expect(unreadableForTerminal(error)).toBe("Invalid patch: The first line of the patch must be '*** Begin Patch'");
  });

  test('has different words for the model and the terminal, with a line number', () => {
    const error = failure(envelope('*** Update File: f'));
    expect(error.line).toBe(2);
    expect(unreadableForModel(error)).toBe("invalid hunk at line 2, Update file hunk for path 'f' is empty");
    expect(unreadableForTerminal(error)).toBe("Invalid patch hunk on line 2: Update file hunk for path 'f' is empty");
  });

  test('lines are counted inside a wrapper', () => {
    expect(failure(`<<EOF\n${envelope('*** Update File: f', 'x')}\nEOF`).line).toBe(3);
    expect(failure(`\n\n<p>\n${envelope('*** Update File: f', 'x')}\n</p>`).line).toBe(3);
  });

  test.each([
    ['<<EOF\n*** Begin Patch\nEOF', "The first line of the patch must be '*** Begin Patch'"],
    ['<<"EOF\'\n*** Begin Patch\n*** End Patch\nEOF', "The first line of the patch must be '*** Begin Patch'"],
    ['<a>\n*** Begin Patch\n*** End Patch\n</b>', "The first line of the patch must be '*** Begin Patch'"],
    ['<a>\n*** Begin Patch\n</a>', "The last line of the patch must be '*** End Patch'"],
    ['```\n*** Begin Patch\n*** End Patch\n~~~', "The first line of the patch must be '*** Begin Patch'"],
    ['@@ -1 +1 @@\n-a\n+b', "The first line of the patch must be '*** Begin Patch'"],
    [envelope('*** Environment ID: ', '*** Delete File: f'), 'The environment ID of the patch is empty'],
    [envelope('*** Environment ID: a', '*** Environment ID: b'), 'The patch names more than one environment ID'],
    ['@@ -1 +1 @@\n-a\n+b\n--- a\n+++ a', 'The diff does not say which file it changes'],
    ['--- a/f\n+++ b/f\n', "Update file hunk for path 'f' is empty"],
    ['--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+x', 'The diff does not say which file it changes'],
    ['--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n-y\n+x', 'The diff adds a file and has lines that would already be in it'],
    ['--- a/f\n+++ b/f\n@@ -1 +1 @@\n', 'Update hunk does not contain any lines'],
  ])('%j', (patch, message) => {
    expect(failure(patch).message).toBe(message);
  });

  test('an unexpected line after the chunks of a diff is an error', () => {
    const error = failure('--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\nstray\n-c\n+d\n');
    expect([error.line, error.message.slice(0, 48)]).toEqual([6, "Unexpected line found in update hunk: 'stray'. E"]);
  });
});

describe('names in a diff', () => {
  const names = (patch: string) => parsePatch(patch).map((hunk) => ({ ...hunk, chunks: [] }));
  const diff = (old: string, fresh: string) => `--- ${old}\n+++ ${fresh}\n@@ -1 +1 @@\n-x\n+y\n`;

  test.each([
    ['a/f', 'b/f', 'f'],
    ['f', 'f', 'f'],
    ['a/b/f', 'b/b/f', 'b/f'],
    ['a/f', 'a/f', 'a/f'],
    ['i/f', 'w/f', 'f'],
    ['/abs/f', '/abs/f', '/abs/f'],
    ['f\t2024-01-01 10:00:00 +0000', 'f\t2024-01-01 10:00:01 +0000', 'f'],
    ['f 2024-01-01 10:00:00', 'f 2024-01-01 10:00:01', 'f'],
    ['f.orig', 'f', 'f'],
    ['a/with space\t', 'b/with space\t', 'with space'],
    ['"a/q\\"\\t"', '"b/q\\"\\t"', 'q"\t'],
  ])('%j and %j mean %j', (old, fresh, path) => {
    expect(names(diff(old, fresh))).toEqual([{ type: 'update', path, chunks: [] }]);
  });

  test('two different names are a move', () => {
    expect(names(diff('a/f', 'b/g'))).toEqual([{ type: 'update', path: 'f', to: 'g', chunks: [] }]);
    expect(names(diff('f', 'g'))).toEqual([{ type: 'update', path: 'f', to: 'g', chunks: [] }]);
  });

  test('a change of only the mode is ignored', () => {
    expect(parsePatch('diff --git a/f b/f\nold mode 100644\nnew mode 100755\n')).toEqual([]);
  });
});

test('removed and added lines may look like file names', () => {
  const patch = envelope('*** Update File: f', '--- f', '+++ f', ' x');
  expect(parsePatch(patch)).toMatchObject([{ chunks: [{ oldLines: ['-- f', 'x'], newLines: ['++ f', 'x'] }] }]);
});

test('long lines and many lines are read in linear time', () => {
  const long = '@'.repeat(200_000);
  const blanks = '\n'.repeat(200_000);
  for (const patch of [
    `--- a/f\n+++ b/f\n@@${long}x\n-a\n`,
    `--- a/f\n+++ b/f\n@@ x @@\n-a${blanks}+b\n`,
    `--- a/f${' '.repeat(200_000)}x\n+++ b/f\n@@ -1 +1 @@\n-a\n`,
    `<a${' '.repeat(200_000)}`,
    '`'.repeat(200_000),
    `<${'a'.repeat(200_000)}`,
  ]) {
    const began = performance.now();
    try {
      parsePatch(patch);
    } catch (error) {
      expect(error).toBeInstanceOf(PatchError);
    }
    // A quadratic reader takes minutes.
    expect(performance.now() - began).toBeLessThan(5000);
  }
});
