import { expect, test } from 'vitest';
import { lineText } from '../../text/span.ts';
import { type Composer, composerInput, composerOf, composerText, EMPTY_COMPOSER, wordAtCaret } from './composer.ts';
import { composerRows } from './composer-rows.ts';
import { type CaretTarget, type DeletedPart, type EditCommand, editComposer } from './edit-composer.ts';

const insert = (text: string): EditCommand => ({ type: 'insert', text });
const paste = (text: string): EditCommand => ({ type: 'paste', text });
const move = (to: CaretTarget): EditCommand => ({ type: 'move', to });
const remove = (what: DeletedPart): EditCommand => ({ type: 'delete', what });
const YANK: EditCommand = { type: 'yank' };
const OLDER: EditCommand = { type: 'yank_older' };
const UNDO: EditCommand = { type: 'undo' };

const edited = (commands: readonly EditCommand[], from: Composer = EMPTY_COMPOSER, columns = 20) =>
  commands.reduce((composer, command) => editComposer(composer, command, columns), from);

/** Returns the shown text with `|` at the caret. */
const shown = ({ text, caret }: Composer) => `${text.slice(0, caret)}|${text.slice(caret)}`;

test.each<[string, EditCommand[], string]>([
  ['typing', [insert('ab'), insert('c')], 'abc|'],
  ['line ends become line feeds', [insert('a\r\nb\rc')], 'a\nb\nc|'],
  ['words to the left', [insert('foo bar-baz '), move('word_left')], 'foo bar-|baz '],
  ['signs are words', [insert('foo bar-baz'), move('word_left'), move('word_left')], 'foo bar|-baz'],
  ['words to the right', [insert('foo  bar'), move('start'), move('word_right'), move('word_right')], 'foo  bar|'],
  ['a word is deleted', [insert('foo bar '), remove('word_left')], 'foo |'],
  ['to the start of the line', [insert('a\nfoo bar'), move('left'), remove('line_start')], 'a\n|r'],
  ['the line feed before the line', [insert('a\nb'), move('left'), remove('line_start')], 'a|b'],
  ['to the end of the line', [insert('foo\nb'), move('start'), move('right'), remove('line_end')], 'f|\nb'],
  ['the line feed after the line', [insert('a\nb'), move('start'), move('right'), remove('line_end')], 'a|b'],
  ['yank', [insert('foo bar'), remove('word_left'), move('start'), YANK], 'bar|foo '],
  ['cuts in a row are one', [insert('a b c'), remove('word_left'), remove('word_left'), move('start'), YANK], 'b c|a '],
  ['older cuts', [insert('a b'), remove('word_left'), move('start'), remove('line_end'), YANK, OLDER], 'b|'],
  [
    'older cuts go round',
    [insert('a b'), remove('word_left'), move('start'), remove('line_end'), YANK, OLDER, OLDER],
    'a |',
  ],
  ['older cuts only after yank', [insert('ab'), remove('word_left'), insert('c'), OLDER], 'c|'],
  ['a word is undone at once', [insert('f'), insert('o'), insert(' '), insert('b'), insert('a'), UNDO], 'fo |'],
  ['erased characters are undone at once', [insert('abc'), remove('left'), remove('left'), UNDO], 'abc|'],
  ['a move ends the word', [insert('a'), move('left'), move('right'), insert('b'), UNDO], 'a|'],
  ['redo', [insert('a'), UNDO, { type: 'redo' }], 'a|'],
  [
    'completion',
    [insert('see @sr now'), { type: 'replace', start: 4, end: 7, text: '@src/a.ts' }],
    'see @src/a.ts| now',
  ],
  ['set, and undo', [insert('draft'), { type: 'set', text: 'older' }, UNDO], 'draft|'],
  ['graphemes go as a whole', [insert('a👩\u200d🚀e\u0301'), remove('left'), remove('left')], 'a|'],
])('%s', (_, commands, expected) => {
  expect(shown(edited(commands))).toBe(expected);
});

test('Up and Down go by shown rows and keep their column', () => {
  const start = edited([insert('0123456789\nab\n0123456789')], EMPTY_COMPOSER, 20);
  const up = edited([move('up')], start);
  expect(shown(up)).toBe('0123456789\nab|\n0123456789');
  expect(shown(edited([move('up')], up))).toBe('0123456789|\nab\n0123456789');
  expect(shown(edited([move('up'), move('up')], up))).toBe('0123456789|\nab\n0123456789');
  const wrapped = edited([insert('one two three four'), move('up')], EMPTY_COMPOSER, 10);
  expect(shown(wrapped)).toBe('one two |three four');
});

test('large pastes are folds', () => {
  const lines = 'line\n'.repeat(16_000);
  const composer = edited([insert('see '), paste(lines), insert(' and '), paste('x'.repeat(1234))]);
  expect(shown(composer)).toBe('see [paste 1: 16,000 lines] and [paste 2: 1,234 characters]|');
  expect(composerText(composer)).toBe(`see ${lines} and ${'x'.repeat(1234)}`);
  expect(shown(edited([paste('a\nb')]))).toBe('a\nb|');
});

test('a fold moves and goes as one', () => {
  const composer = edited([insert('a'), paste('x\n'.repeat(12)), insert('b')]);
  expect(shown(edited([move('left'), move('left')], composer))).toBe('a|[paste 1: 12 lines]b');
  expect(shown(edited([move('left'), move('word_left')], composer))).toBe('a|[paste 1: 12 lines]b');
  expect(shown(edited([move('left'), remove('word_left')], composer))).toBe('a|b');
  expect(shown(edited([move('start'), move('right'), remove('right')], composer))).toBe('a|b');
  const yanked = edited([move('left'), remove('word_left'), move('end'), YANK], composer);
  expect(composerText(yanked)).toBe(`ab${'x\n'.repeat(12)}`);
});

test('Backspace marks a fold, then opens it', () => {
  const text = `${'x\n'.repeat(12)}y`;
  const marked = edited([paste(text), remove('left')]);
  expect(shown(marked)).toBe('[paste 1: 13 lines]|');
  expect(composerRows(marked, 40, 5).rows[0]?.[0]?.style).toEqual({ color: 'accent', inverse: true });
  const opened = edited([remove('left')], marked);
  expect(shown(opened)).toBe(`${text}|`);
  expect(shown(edited([UNDO], opened))).toBe('[paste 1: 13 lines]|');
  // Any other command takes the mark away.
  expect(shown(edited([move('start'), move('end'), remove('left')], marked))).toBe('[paste 1: 13 lines]|');
});

test('images are folds, and parts of the input', () => {
  const image: EditCommand = { type: 'image', path: '/tmp/a.png', label: '640×480' };
  const composer = edited([insert('look: '), image]);
  expect(shown(composer)).toBe('look: [image 1: 640×480]|');
  expect(composerInput(composer)).toEqual([
    { type: 'text', text: 'look: [image 1: 640×480]' },
    { type: 'local_image', path: '/tmp/a.png' },
  ]);
  expect(shown(edited([remove('left'), remove('left')], composer))).toBe('look: |');
  expect(composerInput(edited([insert('plain')]))).toBe('plain');
});

test('a kept draft comes back with its folds', () => {
  const { text, folds } = edited([insert('a '), paste('x\n'.repeat(12))]);
  expect(composerText(composerOf({ text, folds }))).toBe(`a ${'x\n'.repeat(12)}`);
  expect(composerOf({ text: 'short', folds }).folds).toEqual([]);
});

test('the word at the caret', () => {
  const composer = edited([insert('see @src/a now'), move('word_left'), move('left')]);
  expect(wordAtCaret(composer)).toEqual({ start: 4, end: 10, text: '@src/a' });
  expect(wordAtCaret(edited([paste('x'.repeat(2000)), insert('@a')]))).toEqual({ start: 27, end: 29, text: '@a' });
});

test('rows are around the caret', () => {
  const composer = edited([insert(Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n'))]);
  const texts = (of: Composer) => composerRows(of, 20, 3).rows.map(lineText);
  expect(texts(composer)).toEqual(['line 17', 'line 18', 'line 19']);
  expect(texts(edited([move('up'), move('up')], composer))).toEqual(['line 16', 'line 17', 'line 18']);
  expect(texts(edited([move('start')], composer))).toEqual(['line 0', 'line 1', 'line 2']);
});

test('a caret behind a full row has a row of its own', () => {
  const { rows, caret } = composerRows(edited([insert('abcd')]), 4, 5);
  expect(rows.map(lineText)).toEqual(['abcd', '']);
  expect(caret).toEqual({ row: 1, column: 0 });
  expect(composerRows(edited([insert('abcd'), move('left')]), 4, 5).rows.map(lineText)).toEqual(['abcd']);
});

test('control characters are written out', () => {
  const { rows } = composerRows(edited([insert('a\x07\tb')]), 30, 5);
  expect(rows.map(lineText)).toEqual(['a\\u{7}    b']);
});

test('a key in an opened megabyte costs what it costs in a line', () => {
  for (const text of ['日本語テキスト'.repeat(100_000), 'x'.repeat(1_000_000), 'word word\n'.repeat(100_000)]) {
    let composer = edited([paste(text), remove('left'), remove('left')]);
    expect(composer.text.length).toBe(text.length);
    for (let key = 0; key < 40; key += 1) {
      composer = edited([insert('é'), move('up')], composer, 80);
      expect(composerRows(composer, 80, 10).rows).toHaveLength(10);
    }
    expect(composerText(composer)).toHaveLength(text.length + 40);
  }
});
