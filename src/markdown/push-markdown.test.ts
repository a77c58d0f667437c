import fc from 'fast-check';
import { Lexer, type Token } from 'marked';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { type Line, lineText } from '../text/span.ts';
import { lexBlock } from './lex-block.ts';
import {
  EMPTY_MARKDOWN,
  endMarkdown,
  type MarkdownBlock,
  type MarkdownPart,
  type OpenMarkdown,
  openBlock,
  pushMarkdown,
  WHOLE_MARKDOWN,
} from './push-markdown.ts';
import { renderBlock } from './render-block.ts';
import { renderMarkdown } from './render-markdown.ts';

function partsOf(texts: readonly string[], start: OpenMarkdown): MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  let state = start;
  for (const text of texts) {
    const pushed = pushMarkdown(state, text);
    state = pushed.state;
    parts.push(...pushed.parts);
  }
  return [...parts, ...endMarkdown(state)];
}

const blockIn = (part: MarkdownPart) => (part.kind === 'block' ? [part.block] : []);

const blocksOf = (texts: readonly string[]): MarkdownBlock[] => partsOf(texts, WHOLE_MARKDOWN).flatMap(blockIn);

/** Returns a stream of whole blocks. */
function openStream(start = WHOLE_MARKDOWN) {
  let state = start;
  return {
    push(text: string) {
      const pushed = pushMarkdown(state, text);
      state = pushed.state;
      return pushed.parts;
    },
    open: () => openBlock(state),
    end: () => endMarkdown(state),
  };
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
  const stream = openStream();
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
      const stream = openStream();
      let finished = '';
      let seen = '';
      for (const part of cut(text.replaceAll('\r', ''), places)) {
        for (const { source } of stream.push(part).flatMap(blockIn)) finished += source;
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

/** Returns a part in one line: `#` marks code, `+` a part that stands apart. */
const shown = (part: MarkdownPart) => {
  const [sign, text, isApart] =
    part.kind === 'code' ? ['#', part.source, part.isApart] : ['', part.block.source.trimEnd(), part.block.isApart];
  return `${isApart ? '+' : ''}${sign}${text}`;
};

test.each<[string, string, string[]]>([
  ['lines of a fence', 'a:\n```js\nx\n\ny\n```\nb', ['a:', '+#```js', '#x', '#', '#y', '#```', '+b']],
  ['a fence that begins the document', '\n\n```\nx\n```', ['#```', '#x', '#```']],
  ['a fence that stays open', '~~~\nx', ['#~~~', '#x', '#']],
  ['items of a list', '- a\n  b\n- c\n\n- d', ['- a\n  b', '- c', '+- d']],
  ['a list below a line', 'x:\n1. a\n2. b', ['x:', '1. a', '2. b']],
  ['a fence in an item', '- a\n\n  ```\n  x\n  ```\n- b', ['- a\n\n  ```\n  x\n  ```', '- b']],
  ['a fence after a list', '- a\n```\nx\n```', ['- a', '+#```', '#x', '#```']],
  ['an item in an item', '- a\n  - b\n- c', ['- a\n  - b', '- c']],
])('parts: %s', (_, text, expected) => {
  expect(partsOf([text], EMPTY_MARKDOWN).map(shown)).toEqual(expected);
});

test('items keep the numbers of their list', () => {
  const parts = partsOf(['1. a\n1. b\n\n1. c\n\nx\n\n7) d'], EMPTY_MARKDOWN);
  expect(parts.flatMap(blockIn).map(({ number }) => number)).toEqual([1, 2, 3, undefined, 7]);
  expect(parts.flatMap(rowsOf)).toEqual(['1. a', '2. b', '', '3. c', '', 'x', '', '7. d']);
});

test('an address is known after its definition', () => {
  const parts = partsOf(['[x]: http://y\n\nsee [x]\n\nand [x]'], EMPTY_MARKDOWN);
  expect(parts.flatMap(rowsOf)).toEqual(['', 'see x (http://y)', '', 'and x (http://y)']);
});

describe('a table', () => {
  const table = (rows: number) => `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(rows)}`;

  test('is waited for', () => {
    const stream = openStream(EMPTY_MARKDOWN);
    expect(stream.push(table(29))).toEqual([]);
    expect(stream.open()).toMatchObject({ kind: 'table' });
    expect(stream.push('\n')).toHaveLength(1);
    expect(stream.open()).toMatchObject({ kind: 'text' });
  });

  test('is text when it is long', () => {
    const stream = openStream(EMPTY_MARKDOWN);
    expect(stream.push(`x\n\n${table(35)}`).map(shown)).toEqual([
      'x',
      '+#| a | b |',
      '#|---|---|',
      ...Array.from({ length: 35 }, () => '#| 1 | 2 |'),
    ]);
    expect(stream.push('\ny\n\n').map(shown)).toEqual(['+y']);
  });

  test('a rule and a heading by underlining are none', () => {
    const stream = openStream(EMPTY_MARKDOWN);
    stream.push('a | b\n---\n');
    expect(stream.open().kind).toBe('text');
  });
});

function rowsOf(part: MarkdownPart): string[] {
  const rows: Line[] =
    part.kind === 'code' ? [part.line] : renderBlock(part.block, { width: 60, attributes: false, links: false });
  const isApart = part.kind === 'code' ? part.isApart : part.block.isApart;
  return [...(isApart ? [''] : []), ...rows.map(lineText)];
}

test('parts do not depend on how the text arrives, and nothing is lost or shown twice', () => {
  fc.assert(
    fc.property(soup, fc.array(fc.nat(), { maxLength: 20 }), (text, places) => {
      const whole = partsOf([text], EMPTY_MARKDOWN);
      expect(partsOf(cut(text, places), EMPTY_MARKDOWN)).toEqual(whole);
      const bare = (source: string) => source.replace(/\s|\\u\{D\}/g, '');
      const source = whole.map((part) => (part.kind === 'code' ? part.source : part.block.source)).join('');
      expect(bare(source)).toBe(bare(text));
    }),
    { numRuns: runs(500) },
  );
});

test('the rows of the parts are those of the whole document', () => {
  const bare = (rows: readonly string[]) => rows.filter((row) => row.trim() !== '').map((row) => row.trim());
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), fc.constantFrom('\n\n', '\n\n\n'), (texts, gap) => {
      const text = texts.join(gap);
      const parts = partsOf([text], EMPTY_MARKDOWN);
      expect(bare(parts.flatMap(rowsOf))).toEqual(
        bare(renderMarkdown(text, { width: 60, attributes: false, links: false }).map(lineText)),
      );
    }),
    { numRuns: runs(500) },
  );
});

test('the state is plain data', () => {
  fc.assert(
    fc.property(soup, (text) => {
      const { state } = pushMarkdown(EMPTY_MARKDOWN, text);
      const item = state.scan.construct.in === 'list' && state.scan.construct.content === Infinity;
      if (!item) expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    }),
    { numRuns: runs(200) },
  );
});

test('lines are looked at once, however small the parts are', () => {
  const text = 'A sentence of a paragraph that goes on.\n'.repeat(500);
  const stream = openStream();
  // Every letter apart: a scan of the whole rest for each would be 200 million characters.
  for (const letter of text) expect(stream.push(letter)).toEqual([]);
  expect(stream.end()).toHaveLength(1);
});

test('a long fence is given line by line, and none of it is kept', () => {
  const stream = openStream(EMPTY_MARKDOWN);
  stream.push('```js\n/* a comment\n');
  for (let line = 0; line < 5000; line += 1) expect(stream.push('that goes on\n')).toHaveLength(1);
  expect(stream.open()).toMatchObject({ source: '', kind: 'fence' });
  stream.push('the ');
  expect(stream.open().line).toEqual([{ text: 'the ', style: { color: 'comment' } }]);
  expect(stream.push('end */ 1\n')).toMatchObject([{ line: [{ style: { color: 'comment' } }, {}, {}] }]);
});
