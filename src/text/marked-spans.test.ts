import { expect, test } from 'vitest';
import { markedSpans } from './marked-spans.ts';

/** Returns a text with its marks in brackets. */
const shown = (text: string) =>
  markedSpans(text)
    .map((part) => (part.style.inverse ? `[${part.text}]` : part.text))
    .join('');

test.each([
  ['p\u0430ypal.com', 'p[⟨U+0430⟩]ypal.com'],
  ['rm -rf ./buil\u0501', 'rm -rf ./buil[⟨U+0501⟩]'],
  ['\u03bfpen x', '[⟨U+03BF⟩]pen x'],
  ['n\u0440m_install', 'n[⟨U+0440⟩]m_install'],
  ['\u{13a0}pp\u{13a0}', '[⟨U+13A0⟩]pp[⟨U+13A0⟩]'],
])('a letter of another script in a Latin word is written out: %s', (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test.each([
  'echo привет, мир > файл.txt',
  'cat файл_v2 2файл',
  'echo γειά Größe naïve İstanbul',
  'git commit -m "日本語のcommitメッセージ"',
  'echo 한글text שלום 5\u00b5s',
])('honest text stays as it is: %s', (text) => {
  expect(shown(text)).toBe(text);
});
