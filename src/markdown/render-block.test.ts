import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderLine } from '../text/render-line.ts';
import { lineText } from '../text/span.ts';
import { lineWidth } from '../text/wrap.ts';
import { renderMarkdown } from './render-markdown.ts';

const PLAIN = { attributes: false, links: false };
const RICH = { attributes: true, links: true };

const plain = (text: string, width = 30) => renderMarkdown(text, { ...PLAIN, width }).map(lineText);
const rich = (text: string, width = 60) =>
  renderMarkdown(text, { ...RICH, width }).map((line) => renderLine(line, '16').replaceAll('\u001b', '^'));

describe('blocks', () => {
  test.each<[string, string, string[]]>([
    ['a paragraph is wrapped', 'one two three four five six seven', ['one two three four five six', 'seven']],
    ['line feeds are spaces', 'one\ntwo', ['one two']],
    ['two spaces break a line', 'one  \ntwo', ['one', 'two']],
    ['a backslash breaks a line', 'one\\\ntwo', ['one', 'two']],
    ['paragraphs stand apart', 'one\n\n\n\ntwo', ['one', '', 'two']],
    ['a heading keeps its marks', '## Two', ['## Two']],
    ['a heading without a blank line', '# One\ntext', ['# One', 'text']],
    ['a heading by underlining', 'One\n===\n\nTwo\n---', ['# One', '', '## Two']],
    [
      'a long heading is indented',
      '### one two three four five six seven',
      ['### one two three four five', '    six seven'],
    ],
    ['not a heading', '#hash', ['#hash']],
    ['a rule', 'a\n\n***\n\nb', ['a', '', '───', '', 'b']],
    ['a quote', '> one\n> two\n>\n> three', ['> one two', '>', '> three']],
    ['a quote in a quote', '> a\n>> b', ['> a', '> > b']],
    ['a quote is wrapped', '> one two three four five six seven', ['> one two three four five six', '> seven']],
    ['code keeps its lines', '```\na\n\n  b\n```', ['```', 'a', '', '  b', '```']],
    ['code keeps its language', '```ts\nx\n```', ['```ts', 'x', '```']],
    ['code in a longer fence', '````md\n```\nx\n```\n````', ['````md', '```', 'x', '```', '````']],
    ['code of tildes', '~~~\nx\n~~~', ['~~~', 'x', '~~~']],
    ['code that is never closed', '```\nx', ['```', 'x', '```']],
    ['code is not wrapped', `\`\`\`\n${'x'.repeat(50)}\n\`\`\``, ['```', 'x'.repeat(50), '```']],
    ['tabs of code', '```\n\tx\n```', ['```', '    x', '```']],
    ['code in columns', '    a\n      b', ['```', 'a', '  b', '```']],
    ['code after a line', 'a:\n```\nb\n```\nc', ['a:', '', '```', 'b', '```', '', 'c']],
    ['HTML is text', '<div>\n<b>x</b>\n</div>', ['<div>', '<b>x</b>', '</div>']],
    ['a comment is text', '<!-- x -->', ['<!-- x -->']],
    ['nothing', '', []],
    ['only blanks', ' \n\n\t\n', []],
  ])('%s', (_, text, rows) => {
    expect(plain(text)).toEqual(rows);
  });
});

describe('lists', () => {
  test.each<[string, string, string[]]>([
    ['tight', '- a\n- b', ['- a', '- b']],
    ['after a line', 'x:\n- a\n- b', ['x:', '- a', '- b']],
    ['loose', '* a\n\n* b', ['- a', '', '- b']],
    ['wrapped', '- one two three four five six seven', ['- one two three four five six', '  seven']],
    ['nested', '- a\n  - b\n    - c\n- d', ['- a', '  - b', '    - c', '- d']],
    ['ordered', '1. a\n2. b', ['1. a', '2. b']],
    ['ordered from a number', '9) a\n10) b', [' 9. a', '10. b']],
    ['ordered with bullets', '1. a\n   - b\n2. c', ['1. a', '   - b', '2. c']],
    ['tasks', '- [ ] a\n- [x] b', ['- [ ] a', '- [x] b']],
    ['a task is wrapped', '- [x] one two three four five six', ['- [x] one two three four five', '      six']],
    ['loose tasks', '- [ ] a\n\n- [x] b', ['- [ ] a', '', '- [x] b']],
    ['with a paragraph', '- a\n\n  b', ['- a', '', '  b']],
    ['with code', '- a\n  ```\n  x\n  ```', ['- a', '', '  ```', '  x', '  ```']],
    ['with a quote', '- > a', ['- > a']],
    ['with an empty item', '-\n- b', ['-', '- b']],
  ])('%s', (_, text, rows) => {
    expect(plain(text)).toEqual(rows);
  });
});

describe('text inside blocks', () => {
  test.each<[string, string, string]>([
    ['bold, italic, struck', '**a** *b* ~~c~~ ***d***', '**a** *b* ~~c~~ ***d***'],
    ['code', 'a `b  c` ``d`e``', 'a `b  c` `d`e`'],
    ['escapes', '\\*a\\* \\# \\`', '*a* # `'],
    ['entities', '&lt;b&gt; &amp; &#65; &#x42; &nope; &copy', '<b> & A B &nope; &copy'],
    ['names that objects have', '&constructor; &toString;', '&constructor; &toString;'],
    ['HTML', 'a <b>c</b>', 'a <b>c</b>'],
    ['a link', '[a](http://b)', 'a (http://b)'],
    ['an address', 'http://a.b/c', 'http://a.b/c'],
    ['an address in brackets', '<http://a.b>', 'http://a.b'],
    ['an address of mail', '<a@b.c>', 'a@b.c'],
    ['a link to a file', '[a](src/a.ts)', 'a (src/a.ts)'],
    ['a link without an address', '[a]()', 'a'],
    ['a link without a text', '[](http://b)', 'http://b'],
    ['a name that is not defined', '[a][b]', '[a][b]'],
    ['an image', '![a](b.png)', 'a (b.png)'],
    ['an image without a text', '![](b.png)', 'image (b.png)'],
    ['underscores in words', 'a_b_c', 'a_b_c'],
    ['marks that are not closed', '**a *b `c', '**a *b `c'],
  ])('%s', (_, text, row) => {
    expect(plain(text, 60)).toEqual([row]);
  });

  test('an HTML break is a break', () => {
    expect(plain('a<br>b<br/>c')).toEqual(['a', 'b', 'c']);
  });

  test('an address may be defined after its use, and is not shown itself', () => {
    expect(plain('see [a]\n\n[a]: http://b\n')).toEqual(['see a (http://b)']);
  });
});

describe('attributes', () => {
  test.each<[string, string, string[]]>([
    ['emphasis', '**a** *b* ~~c~~ `d`', ['^[1ma^[0m ^[3mb^[0m ^[9mc^[0m ^[36md^[0m']],
    ['nested emphasis', '**a *b***', ['^[1ma ^[0m^[1;3mb^[0m']],
    ['a link', '[a](http://b)', ['^]8;;http://b^\\^[4;36ma^[0m^]8;;^\\']],
    [
      'a text that hides an address',
      '[https://good.com](http://bad.com)',
      ['^]8;;http://bad.com^\\^[4;36mhttps://good.com^]8;;^\\^[0m^[2m (http://bad.com)^[0m'],
    ],
    [
      'a text that looks like a host',
      '[good.com](http://bad.com)',
      ['^]8;;http://bad.com^\\^[4;36mgood.com^]8;;^\\^[0m^[2m (http://bad.com)^[0m'],
    ],
    ['a scheme that is not opened', '[a](javascript:x)', ['^[4;36ma^[0m^[2m (javascript:x)^[0m']],
    [
      'code',
      '```js\nlet a = "b"; // c\n```',
      ['^[2m```js^[0m', '^[35mlet^[0m a = ^[32m"b"^[0m; ^[2m// c^[0m', '^[2m```^[0m'],
    ],
  ])('%s', (_, text, rows) => {
    expect(rich(text)).toEqual(rows);
  });
});

describe('tables', () => {
  const table = '| Name | Number | Text |\n|:-----|-------:|:----:|\n| a | 1 | one |\n| bb | 22 | `x \\| y` |';

  test('columns are aligned', () => {
    expect(plain(table, 40)).toEqual([
      'Name  Number   Text',
      '────  ──────  ───────',
      'a          1    one',
      'bb        22  `x | y`',
    ]);
  });

  test('wide columns shrink and wrap, and rows then stand apart', () => {
    const wide = '| A | B |\n|---|---|\n| x | one two three four five |\n| y | six |';
    expect(plain(wide, 17)).toEqual(['A  B', '─  ──────────────', 'x  one two three', '   four five', '', 'y  six']);
  });

  test('a table that is too wide becomes names and values', () => {
    expect(plain(table, 14)).toEqual([
      'Name: a',
      'Number: 1',
      'Text: one',
      '',
      'Name: bb',
      'Number: 22',
      'Text: `x | y`',
    ]);
  });

  test('wide characters count twice, missing cells are empty', () => {
    expect(plain('| 日本 | B |\n|---|---|\n| a |\n| c | d | e |')).toEqual(['日本  B', '────  ─', 'a', 'c     d']);
  });
});

describe('hostile text', () => {
  test.each([
    ['\u001b[2J\u001b]0;x\u0007a', '\\u{1B}[2J\\u{1B}]0;x\\u{7}a'],
    ['&#27;[2J', '\\u{1B}[2J'],
    ['a\rb', 'a\\u{D}b'],
    ['`\u001b[31m`', '`\\u{1B}[31m`'],
    ['\u202egnp.exe', '\\u{202E}gnp.exe'],
    ['r\u200bm', 'r\\u{200B}m'],
    ['[a](http://b/\u001b\\)', '[a](http://b/\\u{1B}\\)'],
  ])('%j', (text, row) => {
    expect(plain(text, 60)).toEqual([row]);
  });

  test('deep nesting and long runs are shown as text', () => {
    for (const text of [
      '> '.repeat(5000),
      '- '.repeat(5000),
      '[a]('.repeat(3000),
      '*a '.repeat(3000),
      '`'.repeat(3000),
    ])
      expect(plain(`${text}end`).join('')).toContain('end');
  });
});

const ESCAPE = '\\u001b';
const OWN = new RegExp(`${ESCAPE}\\[[0-9;]*m|${ESCAPE}\\]8;;[\\x21-\\x7e]*${ESCAPE}\\\\`, 'g');
const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom(
    ...[
      '\n',
      '\n\n',
      '# ',
      '- ',
      '1. ',
      '> ',
      '```',
      '`',
      '**',
      '*',
      '_',
      '~~',
      '[',
      '](',
      ')',
      '![',
      '<',
      '>',
      '|',
      '|--|--|\n',
      '    ',
    ],
  ),
  fc.constantFrom(
    'word',
    '日本語',
    '👩\u200d🚀',
    '\u001b[2J',
    '&#x1b;',
    '\u202e',
    '\t',
    '\r\n',
    'http://a.b',
    '<br>',
    '[x]: y',
    '- [ ] ',
  ),
);

test('any text can be shown: nothing throws, no control character leaves, rows fit', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 40 }),
      fc.integer({ min: 1, max: 90 }),
      fc.boolean(),
      (pieces, width, isRich) => {
        const text = pieces.join('');
        const rows = renderMarkdown(text, { width, attributes: isRich, links: isRich });
        for (const row of rows) {
          const written = renderLine(row, isRich ? '256' : 'none');
          expect(written.replace(OWN, '')).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
        }
        // Code stays as wide as it is, and nested blocks keep two cells for their text.
        const isFlat = !/`|~|\t| {4}|[->*+]|\d|[\u{1d000}-\u{1dfff}]/u.test(text);
        if (width > 8 && isFlat) for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(width);
      },
    ),
  );
});
