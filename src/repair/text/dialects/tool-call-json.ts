import type { Cursor } from '../cursor.ts';
import type { Dialect, TextCall } from '../dialect.ts';
import { peekLiteral, takeAfterSpace } from './parts/literals.ts';
import { passBlock } from './parts/pass-block.ts';
import { readJsonCalls } from './parts/read-json-calls.ts';
import type { DialectReading, Tools } from './parts/reading.ts';
import { tagPattern } from './parts/tag-pattern.ts';
import { takeJsonClosing } from './parts/take-json-closing.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const OPEN_ALL = '<tool_calls>';
const CLOSE_ALL = '</tool_calls>';
/** Some models write this tag before or between blocks for no reason. */
const EMPTY = '<tool_call/>';
const TAGS = tagPattern([OPEN, CLOSE, CLOSE_ALL]);

/** Reads `<tool_call>{"name": …, "arguments": …}</tool_call>`, seen with Hermes and Qwen models. */
export const toolCallJson: Dialect = {
  id: 'D1',
  markers: [OPEN_ALL, OPEN, EMPTY],
  kind: 'tag',
  *read(cursor, tools) {
    let tag: string | undefined;
    do tag = yield* takeAfterSpace(cursor, [OPEN_ALL, OPEN, EMPTY]);
    while (tag === EMPTY);
    if (tag === OPEN_ALL) return yield* readAll(cursor, tools);
    return tag === OPEN ? yield* readBody(cursor, tools, [CLOSE, CLOSE_ALL]) : undefined;
  },
};

function* readAll(cursor: Cursor, tools: Tools): DialectReading<readonly TextCall[] | undefined> {
  yield* cursor.space();
  if ((yield* cursor.peek()) !== '<') return yield* readBody(cursor, tools, [CLOSE_ALL]);
  const calls: TextCall[] = [];
  for (;;) {
    const tag = yield* takeAfterSpace(cursor, [OPEN, EMPTY, CLOSE_ALL]);
    if (tag === EMPTY) continue;
    if (tag !== OPEN) return calls.length > 0 ? calls : undefined;
    const more = yield* readBody(cursor, tools, [CLOSE]);
    if (more === undefined) return undefined;
    for (const call of more) calls.push(call);
  }
}

function* readBody(
  cursor: Cursor,
  tools: Tools,
  close: readonly string[],
): DialectReading<readonly TextCall[] | undefined> {
  yield* cursor.space();
  const from = cursor.position;
  const calls = yield* readJsonCalls(cursor, tools, 'any');
  if (calls !== undefined) {
    yield* cursor.while(isStray);
    if (yield* isClosed(cursor, close)) return calls;
  }
  // The body is never read as anything but JSON.
  return yield* passBlock(cursor, TAGS, [CLOSE, CLOSE_ALL], from);
}

function* isClosed(cursor: Cursor, close: readonly string[]): DialectReading<boolean> {
  if (yield* takeJsonClosing(cursor, close)) return true;
  return cursor.jsonIsWhole && (yield* peekLiteral(cursor, [OPEN])) !== undefined;
}

/** Reports whether a character may follow the JSON. Some models close one bracket too many. */
function isStray(code: number): boolean {
  return ' \n\r\t}]'.includes(String.fromCharCode(code));
}
