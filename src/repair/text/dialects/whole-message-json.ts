import type { Cursor } from '../cursor.ts';
import type { Dialect, TextCall } from '../dialect.ts';
import { readJsonCalls } from './parts/read-json-calls.ts';
import type { DialectReading, Tools } from './parts/reading.ts';
import { takeJsonClosing } from './parts/take-json-closing.ts';
import { takeWord } from './parts/take-word.ts';

const FENCE = '```';
const LANGUAGES = ['', 'json', 'jsonc', 'json5', 'tool', 'tool_call', 'tool_calls', 'tool_code', 'function_call'];

/** Reads a message that is only `{"name": …, "arguments": …}`: bare, in code fences, or between `tools` tags. */
export const wholeMessageJson: Dialect = {
  id: 'D12',
  markers: [FENCE, '<tools>', '{', '['],
  kind: 'message',
  *read(cursor, tools) {
    const calls: TextCall[] = [];
    while ((yield* cursor.peek()) !== undefined) {
      cursor.endBlock();
      const more = yield* readPart(cursor, tools);
      if (more === undefined) return undefined;
      for (const call of more) calls.push(call);
      yield* cursor.space();
    }
    return calls;
  },
};

function* readPart(cursor: Cursor, tools: Tools): DialectReading<TextCall[] | undefined> {
  if (yield* cursor.take(FENCE)) {
    const language = yield* takeWord(cursor, '`{[<"\r\n ');
    if (language === undefined || !LANGUAGES.includes(language)) return undefined;
    return yield* readClosed(cursor, tools, FENCE);
  }
  if (yield* cursor.take('<tools>')) return yield* readClosed(cursor, tools, '</tools>');
  return yield* readJsonCalls(cursor, tools, 'needed');
}

function* readClosed(cursor: Cursor, tools: Tools, close: string): DialectReading<TextCall[] | undefined> {
  yield* cursor.space();
  const calls = yield* readJsonCalls(cursor, tools, 'needed');
  return calls !== undefined && (yield* takeJsonClosing(cursor, [close])) ? calls : undefined;
}
