import type { Cursor } from '../cursor.ts';
import type { Dialect, TextCall } from '../dialect.ts';
import { readArguments } from './parts/arguments-text.ts';
import { takeAfterSpace } from './parts/literals.ts';
import { nameInBlock } from './parts/name-in-block.ts';
import { passBlock } from './parts/pass-block.ts';
import type { DialectReading, Tools } from './parts/reading.ts';
import { tagPattern } from './parts/tag-pattern.ts';
import { takeJsonClosing } from './parts/take-json-closing.ts';
import { takeWord } from './parts/take-word.ts';

const SECTIONS = ['<|tool_calls_section_begin|>', '<|tool_call_section_begin|>'];
const SECTION_ENDS = ['<|tool_calls_section_end|>', '<|tool_call_section_end|>'];
const CALL = '<|tool_call_begin|>';
const ARGUMENTS = '<|tool_call_argument_begin|>';
const CALL_END = '<|tool_call_end|>';
const ENDS = [CALL_END, ...SECTION_ENDS];
const TAGS = tagPattern(ENDS);

/**
 * Reads `<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`, in a section or not.
 * Seen with Kimi K2.
 */
export const sectionTokens: Dialect = {
  id: 'D4',
  markers: [...SECTIONS, CALL],
  kind: 'token',
  *read(cursor, tools) {
    yield* takeAfterSpace(cursor, SECTIONS);
    const calls: TextCall[] = [];
    for (;;) {
      const token = yield* takeAfterSpace(cursor, [CALL, ...SECTION_ENDS]);
      if (token !== CALL) return calls.length > 0 ? calls : undefined;
      const call = yield* readCall(cursor, tools);
      if (call === undefined) return undefined;
      calls.push(call);
    }
  },
};

function* readCall(cursor: Cursor, tools: Tools): DialectReading<TextCall | undefined> {
  const name = nameInBlock(cursor, yield* takeWord(cursor, '<{'), tools);
  if (name === undefined || !(yield* cursor.take(ARGUMENTS))) return undefined;
  const text = yield* readArguments(cursor, tools.get(name), [CALL_END]);
  if (text === undefined) return yield* passBlock(cursor, TAGS, ENDS);
  const closed = yield* takeJsonClosing(cursor, [CALL_END]);
  return closed || cursor.jsonIsWhole ? { name, arguments: text } : yield* passBlock(cursor, TAGS, ENDS);
}
