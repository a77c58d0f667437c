import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LANGUAGES } from './code-languages.ts';
import { colourLine, languageOf, START } from './colour-code.ts';

/** Returns each line with the first letter of its colours, and a dot for none. */
function colours(language: string, text: string): string[] {
  let state = START;
  return text.split('\n').map((line) => {
    const { spans, state: next } = colourLine(line, languageOf(language), state);
    state = next;
    return spans
      .map(({ text: part, style }) =>
        (typeof style.color === 'string' ? (style.color[0] ?? '') : '.').repeat(part.length),
      )
      .join('');
  });
}

test.each<[string, string, string[]]>([
  ['ts', 'const a = Foo(1, "x"); // y', ['kkkkk.....ttt.n..sss...cccc']],
  ['js', '/* a\nb */ let c', ['cccc', 'cccc.kkk..']],
  ['js', '`a\n\\`b` c', ['ss', 'ssss..']],
  ['rust', "fn f<'a>() {} // 'x'", ['kk............cccccc']],
  ['python', 'def f(): # x\n"""a\nb""" None', ['kkk......ccc', 'ssss', 'ssss.kkkk']],
  ['sh', 'if a; then b#c "d" # e', ['kk....kkkk.....sss.ccc']],
  ['sql', "SELECT a -- b\nfrom 'c'", ['kkkkkk...cccc', 'kkkk.sss']],
  ['yaml', 'a: true # b', ['...kkkk.ccc']],
  ['html', '<p class="x"><!-- a\nb --></p>', ['kk.......sss.cccccc', 'ccccckkk.']],
  ['diff', '+a\n-b\n c\n@@ x', ['aa', 'rr', '..', 'mmmm']],
  ['nothing-known', 'let a = "b"', ['...........']],
  ['c', '"text', ['.....']],
])('%s: %j', (language, text, expected) => {
  expect(colours(language, text)).toEqual(expected);
});

test('the name of a language is the first word after a fence', () => {
  expect(languageOf('TypeScript title="x"')).toBe(LANGUAGES.get('ts'));
  expect(languageOf('c++')).toBe(LANGUAGES.get('cpp'));
  expect(languageOf('')).toBeUndefined();
  expect(languageOf(undefined)).toBeUndefined();
});

test('colours never change the text', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('"', "'", '`', '/*', '*/', '\\', '"""', 'a', ' ', '<!--', '#', '😀'))
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.constantFrom(...LANGUAGES.keys()), fc.array(line), (name, lines) => {
      let state = START;
      for (const text of lines) {
        const { spans, state: next } = colourLine(text, languageOf(name), state);
        expect(spans.map((part) => part.text).join('')).toBe(text);
        state = next;
      }
    }),
  );
});
