import { UserError } from '../../base/errors.ts';

/** Token of a rules file, with its line, from 1. */
export interface Token {
  readonly type: 'name' | 'string' | 'sign' | 'end';
  readonly text: string;
  readonly line: number;
}

/** Returns the error for a mistake in a rules file. */
export function rulesFault(file: string, line: number, fault: string): UserError {
  return new UserError('invalid_config', `${file}:${line}: ${fault}`);
}

const SPACE = /[ \t\r\n]+|#[^\n]*/y;
const NAME = /[A-Za-z_]\w*/y;
const SIGN = /[()[\],=]/y;

/** Splits a rules file into tokens. The last token is the end. Throws `UserError`. */
export function tokenize(text: string, file: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const space = take(SPACE, text, at);
    if (space !== undefined) {
      line += lineBreaks(space);
      at += space.length;
      continue;
    }
    const token = readToken(text, at);
    if ('fault' in token) throw rulesFault(file, line, token.fault);
    tokens.push({ type: token.type, text: token.text, line });
    at += token.length;
  }
  return [...tokens, { type: 'end', text: '', line }];
}

type Read = { type: Token['type']; text: string; length: number } | { fault: string };

function readToken(text: string, at: number): Read {
  const first = text[at] ?? '';
  if (first === '"' || first === "'") return readString(text, at, first);
  const name = take(NAME, text, at);
  if (name !== undefined) return { type: 'name', text: name, length: name.length };
  const sign = take(SIGN, text, at);
  if (sign !== undefined) return { type: 'sign', text: sign, length: 1 };
  return { fault: `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))}. ${EXPECTED}` };
}

const EXPECTED = 'A rules file holds calls such as prefix_rule(pattern=["git", "push"], decision="prompt").';

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  '"': '"',
  "'": "'",
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const UNICODE = /u([0-9a-fA-F]{4})/y;

function readString(text: string, start: number, quote: string): Read {
  const pieces: string[] = [];
  for (let at = start + 1; at < text.length; ) {
    const char = text[at] ?? '';
    if (char === quote) return { type: 'string', text: pieces.join(''), length: at + 1 - start };
    if (char === '\n') break;
    if (char !== '\\') {
      pieces.push(char);
      at += 1;
      continue;
    }
    const escaped = readEscape(text, at + 1);
    if (escaped === undefined) return { fault: `unknown escape \\${text[at + 1] ?? ''} in a string.` };
    pieces.push(escaped.text);
    at += 1 + escaped.length;
  }
  return { fault: `a string begins with ${quote} and does not end in the same line.` };
}

function readEscape(text: string, at: number): { text: string; length: number } | undefined {
  const plain = ESCAPES[text[at] ?? ''];
  if (plain !== undefined) return { text: plain, length: 1 };
  const unicode = take(UNICODE, text, at);
  if (unicode === undefined) return undefined;
  return { text: String.fromCharCode(Number.parseInt(unicode.slice(1), 16)), length: unicode.length };
}

function take(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function lineBreaks(text: string): number {
  return text.split('\n').length - 1;
}
