import fc from 'fast-check';
import { Lexer, type Token } from 'marked';
import { expect, test } from 'vitest';
import { createMarkdown, type MarkdownBlock } from './blocks.ts';
import { lexBlock } from './lex-block.ts';

function blocksOf(parts: readonly string[]): MarkdownBlock[] {
  const stream = createMarkdown();
  return [...parts.flatMap((part) => stream.push(part)), ...stream.end()];
}

const sources = (text: string) => blocksOf([text]).map(({ source }) => source);

test.each<[string, string, string[]]>([
  ['paragraphs', 'a\nb\n\nc', ['a\nb\n', 'c\n']],
  ['a fence with blank lines', '```\na\n\nb\n```\nc', ['```\na\n\nb\n```\n', 'c\n']],
  ['a fence of tildes', '~~~~\n~~~\n\n```\n~~~~\n\nx', ['~~~~\n~~~\n\n```\n~~~~\n', 'x\n']],
  ['a fence that stays open', '```js\na\n\nb', ['```js\na\n\nb\n']],
  ['a paragraph and a fence', 'a:\n```\nb\n\nc\n```', ['a:\n```\nb\n\nc\n```\n']],
  ['a loose list', '- a\n\n- b\n\nc', ['- a\n\n- b\n', 'c\n']],
  ['a list with a paragraph', '- a\n\n  b\n\nc', ['- a\n\n  b\n', 'c\n']],
  ['a list with code', '1. a\n\n   ```\n   x\n\n   y\n   ```\n\nc', ['1. a\n\n   ```\n   x\n\n   y\n   ```\n', 'c\n']],
  ['code in columns', '    a\n\n    b\n\nc', ['    a\n\n    b\n', 'c\n']],
  ['a comment', '<!-- a\n\nb -->\nc', ['<!-- a\n\nb -->\n', 'c\n']],
  ['HTML up to a blank line', '<div>\n```\n\nc', ['<div>\n```\n', 'c\n']],
  ['lines that end as on Windows', 'a\r\n\r\nb\r\n', ['a\n', 'b\n']],
  ['nothing', '\n  \n\n', []],
])('%s', (_, text, expected) => {
  expect(sources(text)).toEqual(expected);
});

test('a block says whether it stands apart', () => {
  expect(blocksOf(['a\n\n\nb']).map(({ isApart }) => isApart)).toEqual([false, true]);
  expect(blocksOf(['```\n```\nb']).map(({ isApart }) => isApart)).toEqual([false, true]);
});

test('a paragraph is finished by a blank line, a list only by the text after it', () => {
  const stream = createMarkdown();
  expect(stream.push('one\n')).toEqual([]);
  expect(stream.open()).toMatchObject({ source: 'one\n', kind: 'text' });
  expect(stream.push('\n')).toHaveLength(1);
  expect(stream.push('- a\n\n')).toEqual([]);
  expect(stream.open()).toMatchObject({ source: '- a\n\n', kind: 'list' });
  expect(stream.push('b\n```\nco')).toHaveLength(1);
  expect(stream.open()).toMatchObject({ source: 'b\n```\nco', kind: 'fence' });
});

const line = fc.constantFrom(
  ...[
    '',
    '',
    '  ',
    'text',
    '# head',
    '- a',
    '* b',
    '1. c',
    '2) d',
    '  - e',
    '    in',
    '\ttab',
    '> q',
    '>',
    '```',
    '```js',
    '~~~',
  ],
  ...[
    '| a | b |',
    '|---|---|',
    '---',
    '===',
    '<div>',
    '</div>',
    '<!--',
    '-->',
    '<pre>',
    '</pre>',
    '[x]: http://y',
    '   ```',
    '\r',
  ],
);
const soup = fc
  .array(fc.oneof({ weight: 4, arbitrary: line }, fc.string({ maxLength: 12 })), { maxLength: 25 })
  .map((lines) => lines.join('\n'));

/** Returns a text in parts, cut at any places. */
const cut = (text: string, places: readonly number[]) => {
  const cuts = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length];
  return cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
};

test('the blocks do not depend on how the text arrives, and no text is lost', () => {
  fc.assert(
    fc.property(soup, fc.array(fc.nat(), { maxLength: 20 }), (text, places) => {
      const whole = blocksOf([text]);
      expect(blocksOf(cut(text, places))).toEqual(whole);
      const bare = (source: string) => source.replace(/\s|\\u\{D\}/g, '');
      expect(bare(whole.map(({ source }) => source).join(''))).toBe(bare(text));
    }),
  );
});

test('the open block is always the rest of the text', () => {
  fc.assert(
    fc.property(soup, fc.array(fc.nat(), { maxLength: 10 }), (text, places) => {
      const stream = createMarkdown();
      let finished = '';
      let seen = '';
      for (const part of cut(text.replaceAll('\r', ''), places)) {
        for (const { source } of stream.push(part)) finished += source;
        seen += part;
        expect((finished + stream.open().source).replace(/\s/g, '')).toBe(seen.replace(/\s/g, ''));
      }
    }),
  );
});

const prose = fc.constantFrom(
  'Some *text* here',
  'a `code` and **bold**',
  'line one\nline two',
  'see [x](http://y)',
  'a  \nb',
);
const item = fc.tuple(
  prose,
  fc.constantFrom('', '\n  more', '\n\n  apart', '\n\n  ```\n  a\n\n  b\n  ```', '\n  - inner\n  - other'),
);
const block = fc.oneof(
  prose,
  prose.map((text) => `## ${text.split('\n')[0]}`),
  prose.map((text) =>
    text
      .split('\n')
      .map((row) => `> ${row}`)
      .join('\n'),
  ),
  fc
    .tuple(
      fc.constantFrom('```', '~~~', '````'),
      fc.array(fc.constantFrom('', 'x = 1;', '# not a heading', '- not a list', '  ```')),
    )
    .map(([mark, rows]) => [`${mark}js`, ...rows.filter((row) => row.trim() !== mark), mark].join('\n')),
  fc
    .tuple(fc.array(item, { minLength: 1, maxLength: 4 }), fc.constantFrom('\n', '\n\n'))
    .map(([items, gap]) => items.map(([text, more]) => `- ${text.replaceAll('\n', '\n  ')}${more}`).join(gap)),
  fc
    .array(prose, { minLength: 1, maxLength: 3 })
    .map((rows) => rows.map((row, n) => `${n + 1}. ${row.replaceAll('\n', '\n   ')}`).join('\n')),
  fc.constantFrom(
    '| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 | 4 |',
    '---',
    '    indented\n\n    code',
    '<div>\nraw\n</div>',
    '<!-- a\n\nb -->',
  ),
);

/** Returns tokens without blank lines, and without positions in the source. */
const shapeOf = (tokens: readonly Token[]): unknown =>
  JSON.parse(
    JSON.stringify(
      tokens.filter(({ type }) => type !== 'space'),
      (key, value) => (key === 'raw' ? undefined : typeof value === 'string' ? value.trimEnd() : value),
    ),
  );

test('the tokens of the blocks are those of the whole document', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 8 }), (parts, places) => {
      const text = parts.join('\n\n');
      const blocks = blocksOf(cut(text, places));
      expect(shapeOf(blocks.flatMap(({ source }) => lexBlock(source, {})))).toEqual(shapeOf(new Lexer().lex(text)));
    }),
  );
});

test('lines are looked at once, however small the parts are', () => {
  const text = 'A sentence of a paragraph that goes on.\n'.repeat(500);
  const stream = createMarkdown();
  // Every letter apart: a scan of the whole rest for each would be 200 million characters.
  for (const letter of text) expect(stream.push(letter)).toEqual([]);
  expect(stream.end()).toHaveLength(1);
});
