import { describe, expect, test } from 'vitest';
import { changeText } from './change-text.ts';
import { parsePatch } from './parse-patch.ts';
import { PatchError } from './patch-error.ts';

function change(before: string, ...lines: string[]): string {
  const [hunk] = parsePatch(['*** Begin Patch', '*** Update File: f', ...lines, '*** End Patch'].join('\n'));
  return changeText(before, hunk?.type === 'update' ? hunk.chunks : [], 'f');
}

function complaint(before: string, ...lines: string[]): string {
  try {
    return `changed: ${change(before, ...lines)}`;
  } catch (error) {
    if (error instanceof PatchError) return error.message;
    throw error;
  }
}

/** Returns the part of the message after the text that Codex has too. */
const hint = (before: string, ...lines: string[]) =>
  complaint(before, ...lines)
    .split('\n')
    .at(-1);

test('without chunks nothing changes, not even the last line ending', () => {
  expect(changeText('a\nb', [], 'f')).toBe('a\nb');
});

test('a failure begins with the text of Codex', () => {
  expect(complaint('a\n', '@@ x', '-a')).toMatch(/^Failed to find context 'x' in f\n/);
  expect(complaint('a\n', '@@', '-x', ' y')).toMatch(/^Failed to find expected lines in f:\nx\ny\n/);
});

describe('the closest place', () => {
  const file = 'import a\n\nfunction one() {\n  return 1;\n}\n\nfunction two() {\n  return 1;\n}\n';

  test('has the most equal lines, and the first different one is shown', () => {
    expect(hint(file, '@@', ' function two() {', '-  return 2;', ' }')).toBe(
      'The closest place is line 7, where 2 of 3 lines are the same: line 8 is "  return 1;", not "  return 2;".',
    );
  });

  test('is the most similar line if no line is equal', () => {
    expect(hint(file, '@@', '-function one(x) {')).toBe(
      'The closest place is line 3, where 0 of 1 line is the same: line 3 is "function one() {", not "function one(x) {".',
    );
    expect(hint(file, '@@ function too() {', '-x')).toBe(
      'The closest is line 7: line 7 is "function two() {", not "function too() {".',
    );
  });

  test('shows white space', () => {
    expect(hint('a\tb and more\n', '@@', '-a b and more')).toContain('line 1 is "a\\tb and more", not "a b and more"');
  });

  test('may stand before the start of the search', () => {
    expect(hint(file, '@@ function two() {', '-import a')).toBe(
      'They stand at line 1, before line 8, where the search began: behind the chunks before and the context.',
    );
    expect(hint(file, '@@', '-function two() {', '@@ import a', '-x')).toBe(
      'It stands at line 1, before line 8, where the search began: behind the chunks before and the context.',
    );
  });

  test('may reach past the end of the file', () => {
    expect(hint('first line\nlast line\n', '@@', ' last line', '-one more')).toBe(
      'The closest place is line 2, where 1 of 2 lines are the same: the file ends before "one more".',
    );
  });

  test('may not exist', () => {
    expect(hint('', '@@', '-something')).toBe('The file is empty.');
    expect(hint('', '@@ something', '-x')).toBe('The file is empty.');
    expect(hint(file, '@@', '-nothing of the sort')).toBe('The file has no lines like these.');
    expect(hint(file, '@@ nothing of the sort', '-x')).toBe('The file has no line like it.');
  });

  test('shows the different part of a long line', () => {
    const long = 'x'.repeat(300);
    expect(hint(`${long}1${long}\n`, '@@', `-${long}2${long}`)).toBe(
      `The closest place is line 1, where 0 of 1 line is the same: line 1 is …"${'x'.repeat(40)}1${'x'.repeat(39)}"…, not …"${'x'.repeat(40)}2${'x'.repeat(39)}"….`,
    );
  });

  test('is found quickly in a long file', () => {
    const lines = Array.from({ length: 100_000 }, (_, at) => `same ${at % 3}`);
    const wanted = Array.from({ length: 2_000 }, (_, at) => `-same ${at % 3} `);
    const began = performance.now();
    expect(hint(lines.join('\n'), '@@', ...wanted, '-other')).toContain('The closest place is line');
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe('a hint of a unified header', () => {
  test('chooses among matches of one matcher, but not a looser matcher', () => {
    expect(change('x\n x\nx\n', '@@ -2,1 +2,1 @@', '-x', '+X')).toBe('X\n x\nx\n');
  });

  test('is overridden by the context if it is wrong', () => {
    const file = 'one:\n  x\ntwo:\n  x\nthree:\n  x\n';
    expect(change(file, '@@ -1,1 +1,1 @@ two:', '-  x', '+  y')).toBe('one:\n  x\ntwo:\n  y\nthree:\n  x\n');
    expect(change(file, '@@ -6,1 +6,1 @@ two:', '-  x', '+  y')).toBe('one:\n  x\ntwo:\n  x\nthree:\n  y\n');
  });

  test('chooses the nearest place, before or after', () => {
    const file = 'x\na\na\na\nx\na\nx\n';
    expect(change(file, '@@ -4,1 +4,1 @@', '-x', '+X')).toBe('x\na\na\na\nX\na\nx\n');
    expect(change(file, '@@ -2,1 +2,1 @@', '-x', '+X')).toBe('X\na\na\na\nx\na\nx\n');
    expect(change(file, '@@ -99,1 +99,1 @@', '-x', '+X')).toBe('x\na\na\na\nx\na\nX\n');
  });

  test('is found quickly among lines that are all equal', () => {
    const began = performance.now();
    const chunks = Array.from({ length: 1000 }, (_, nth) => [`@@ -${90_000 + nth},2 +1,1 @@`, '-x', '-y']).flat();
    expect(complaint('x\n'.repeat(100_000), ...chunks)).toContain('Failed to find expected lines');
    const wrong = Array.from({ length: 200 }, () => ['@@ -99999,1 +1,1 @@', '-x', ' x', '-y', ' x']).flat();
    const file = `${'x\nx\ny\nx\n'.repeat(25_000)}`;
    expect(complaint(file, ...wrong)).toContain('Failed to find expected lines');
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test('does not lead back before the previous chunk', () => {
    expect(change('x\nx\nx\n', '@@ -2,1 +2,1 @@', '-x', '+2', '@@ -1,1 +1,1 @@', '-x', '+3')).toBe('x\n2\n3\n');
  });
});

describe('a file of 100,000 lines', () => {
  const lines = Array.from({ length: 100_000 }, (_, at) => `  line ${at} of the file`);
  const chunks = (written: (line: string) => string) =>
    Array.from({ length: 1000 }, (_, nth) => nth * 100 + 50).flatMap((at) => [
      '@@',
      ` ${written(lines[at - 1] ?? '')}`,
      `-${written(lines[at] ?? '')}`,
      `+changed ${at}`,
    ]);
  const expected = `${lines.map((line, at) => (at % 100 === 50 ? `changed ${at}` : line)).join('\n')}\n`;

  test.each([
    ['exactly', (line: string) => line],
    ['but for blanks at the end', (line: string) => `${line} `],
    ['but for blanks around', (line: string) => line.trim()],
    ['but for punctuation', (line: string) => line.replace(/^ {2}/, '\u00a0').replace(' of', '\u2003of')],
  ])('accepts 1,000 chunks that match %s', (_, written) => {
    const before = `${lines.join('\n')}\n`;
    const patch = chunks(written);
    const began = performance.now();
    expect(change(before, ...patch) === expected).toBe(true);
    // Comparing each chunk with each line takes some ten seconds with the looser matchers.
    expect(performance.now() - began).toBeLessThan(5000);
  });
});
