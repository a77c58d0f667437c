import type { Cursor, TagPattern } from '../cursor.ts';
import type { Dialect, TextCall } from '../dialect.ts';
import { readArguments } from './parts/arguments-text.ts';
import { peekLiteral, takeAfterSpace } from './parts/literals.ts';
import { nameInBlock } from './parts/name-in-block.ts';
import { passBlock } from './parts/pass-block.ts';
import type { DialectReading, Tools } from './parts/reading.ts';
import { tagPattern } from './parts/tag-pattern.ts';
import { takeJsonClosing } from './parts/take-json-closing.ts';
import { takeWord } from './parts/take-word.ts';

interface Tokens {
  readonly section: string;
  readonly sectionEnd: string;
  readonly call: string;
  readonly separator: string;
  readonly callEnd: string;
  readonly ends: TagPattern;
}

/** The tokens, and their spellings in ASCII. */
const SPELLINGS: readonly Tokens[] = ['｜▁', '|▁', '｜_', '|_'].map((marks) => {
  const [bar = '', joint = ''] = marks;
  const token = (...words: string[]) => `<${bar}${words.join(joint)}${bar}>`;
  const sectionEnd = token('tool', 'calls', 'end');
  const callEnd = token('tool', 'call', 'end');
  return {
    section: token('tool', 'calls', 'begin'),
    sectionEnd,
    call: token('tool', 'call', 'begin'),
    separator: token('tool', 'sep'),
    callEnd,
    ends: tagPattern([callEnd, sectionEnd]),
  };
});

const MARKERS = SPELLINGS.flatMap(({ section, call }) => [section, call]);

/**
 * Reads `<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`, also with a type before the name and a fence around
 * the arguments. Seen with DeepSeek V3 and R1.
 */
export const separatorTokens: Dialect = {
  id: 'D5',
  markers: MARKERS,
  kind: 'token',
  *read(cursor, tools) {
    const begin = yield* peekLiteral(cursor, MARKERS);
    const tokens = SPELLINGS.find(({ section, call }) => begin === section || begin === call);
    return tokens === undefined ? undefined : yield* readCalls(cursor, tools, tokens);
  },
};

function* readCalls(cursor: Cursor, tools: Tools, tokens: Tokens): DialectReading<readonly TextCall[] | undefined> {
  yield* cursor.take(tokens.section);
  const calls: TextCall[] = [];
  for (;;) {
    const token = yield* takeAfterSpace(cursor, [tokens.call, tokens.sectionEnd]);
    if (token !== tokens.call) return calls.length > 0 ? calls : undefined;
    const call = yield* readCall(cursor, tools, tokens);
    if (call === undefined) return undefined;
    calls.push(call);
  }
}

function* readCall(cursor: Cursor, tools: Tools, tokens: Tokens): DialectReading<TextCall | undefined> {
  const first = yield* takeWord(cursor, '<{\n');
  if (first === undefined || !(yield* cursor.take(tokens.separator))) return undefined;
  // The word before the separator is the name, or a type if a name follows.
  const second = yield* takeWord(cursor, '<{[`\n');
  const name = nameInBlock(cursor, second === '' ? first : second, tools);
  if (name === undefined) return undefined;
  const fenced = (yield* takeAfterSpace(cursor, ['```json', '```'])) !== undefined;
  const text = yield* readArguments(cursor, tools.get(name), fenced ? ['```'] : [tokens.callEnd]);
  if (text === undefined) return yield* passBlock(cursor, tokens.ends, [tokens.callEnd, tokens.sectionEnd]);
  if (fenced) yield* takeAfterSpace(cursor, ['```']);
  const closed = yield* takeJsonClosing(cursor, [tokens.callEnd]);
  return closed || cursor.jsonIsWhole
    ? { name, arguments: text }
    : yield* passBlock(cursor, tokens.ends, [tokens.callEnd, tokens.sectionEnd]);
}
