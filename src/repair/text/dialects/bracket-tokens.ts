import type { Cursor } from '../cursor.ts';
import type { Dialect, TextCall } from '../dialect.ts';
import { readArguments } from './parts/arguments-text.ts';
import { nameInBlock } from './parts/name-in-block.ts';
import { readJsonValue } from './parts/read-json-calls.ts';
import type { DialectReading, Tools } from './parts/reading.ts';
import { takeJsonClosing } from './parts/take-json-closing.ts';
import { takeWord } from './parts/take-word.ts';

const OPEN = '[TOOL_CALLS]';
const END = '</s>';

/** Reads `[TOOL_CALLS][{"name": …, "arguments": …}]` or `[TOOL_CALLS]NAME[ARGS]{…}`, seen with Mistral. */
export const bracketTokens: Dialect = {
  id: 'D10',
  markers: [OPEN],
  kind: 'token',
  *read(cursor, tools) {
    yield* cursor.take(OPEN);
    yield* cursor.space();
    const next = yield* cursor.peek();
    const isJson = next === '[' || next === '{';
    const calls = isJson ? yield* readJsonValue(cursor, tools, 'any') : yield* readNamed(cursor, tools);
    // No tag closes such a call, so only the end of the text may replace missing brackets.
    return cursor.jsonIsWhole || (yield* takeJsonClosing(cursor, [END])) ? calls : undefined;
  },
};

function* readNamed(cursor: Cursor, tools: Tools): DialectReading<readonly TextCall[] | undefined> {
  const name = nameInBlock(cursor, yield* takeWord(cursor, '[]{}<>"\n'), tools);
  if (name === undefined) return undefined;
  if (yield* cursor.take('[CALL_ID]')) yield* takeWord(cursor, '[]{}<>"\n');
  // Some servers lose this token.
  yield* cursor.take('[ARGS]');
  const text = yield* readArguments(cursor, tools.get(name), [OPEN, END]);
  return text === undefined ? undefined : [{ name, arguments: text }];
}
