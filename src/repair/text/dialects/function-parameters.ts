import type { Cursor } from '../cursor.ts';
import type { Dialect, TextCall } from '../dialect.ts';
import { peekLiteral, takeAfterSpace } from './parts/literals.ts';
import { nameInBlock } from './parts/name-in-block.ts';
import { readAttributes } from './parts/read-attributes.ts';
import { parameterTags, readParameters } from './parts/read-parameters.ts';
import type { DialectReading, Tools } from './parts/reading.ts';
import { takeWord } from './parts/take-word.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const FUNCTION = '<function=';
const FUNCTION_ATTRIBUTES = '<function ';

const TAGS = parameterTags({
  open: ['<parameter=', '<parameter '],
  close: '</parameter>',
  end: ['</function>'],
  begins: [OPEN, FUNCTION, FUNCTION_ATTRIBUTES],
  blockEnd: [CLOSE],
  blocks: [],
});

/**
 * Reads `<tool_call><function=NAME><parameter=KEY>VALUE</parameter></function></tool_call>`, with or without the outer
 * tags. Seen with Qwen3-Coder.
 */
export const functionParameters: Dialect = {
  id: 'D2',
  markers: [OPEN, FUNCTION, '<function name='],
  kind: 'tag',
  *read(cursor, tools) {
    const wrapped = yield* cursor.take(OPEN);
    const calls: TextCall[] = [];
    for (;;) {
      const tag = yield* takeAfterSpace(cursor, wrapped || calls.length === 0 ? ANY : [CLOSE]);
      if (tag === undefined || tag === CLOSE) return calls.length > 0 ? calls : undefined;
      const call = yield* readFunction(cursor, tools, { wrapped, tag });
      if (call === undefined) return undefined;
      calls.push(call);
    }
  },
};

const ANY = [FUNCTION, FUNCTION_ATTRIBUTES, CLOSE];

interface FunctionTag {
  readonly wrapped: boolean;
  readonly tag: string;
}

function* readFunction(
  cursor: Cursor,
  tools: Tools,
  { wrapped, tag }: FunctionTag,
): DialectReading<TextCall | undefined> {
  const word = tag === FUNCTION ? yield* readName(cursor) : yield* readNameAttribute(cursor);
  const name = nameInBlock(cursor, word, tools);
  if (name === undefined) return undefined;
  yield* cursor.space();
  // A body in JSON without the outer tags is another dialect.
  if (!wrapped && (yield* peekLiteral(cursor, ['{'])) !== undefined) return undefined;
  const text = yield* readParameters(cursor, tools.get(name), TAGS);
  return text === undefined ? undefined : { name, arguments: text };
}

function* readName(cursor: Cursor): DialectReading<string | undefined> {
  const name = yield* takeWord(cursor, '<>{}()[]=,"\' \t\r\n');
  return (yield* cursor.take('>')) ? name : undefined;
}

function* readNameAttribute(cursor: Cursor): DialectReading<string | undefined> {
  return (yield* readAttributes(cursor))?.get('name');
}
