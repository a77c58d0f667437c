import type { Cursor } from '../cursor.ts';
import type { Dialect } from '../dialect.ts';
import { peekLiteral, takeClosing } from './parts/literals.ts';
import { nameInBlock } from './parts/name-in-block.ts';
import { objectText, parameterText, propertySchema, withoutPadding } from './parts/parameter-text.ts';
import { rawTags, readRawValue } from './parts/read-raw-value.ts';
import type { DialectReading } from './parts/reading.ts';
import { takeWord } from './parts/take-word.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const KEY = '<arg_key>';
const VALUE = '<arg_value>';
const TAGS = rawTags({ open: [VALUE], close: '</arg_value>', next: [KEY], ends: [CLOSE], begins: [OPEN] });

/** Reads `<tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>`, seen with GLM-4.5 to 4.7. */
export const argKeyValue: Dialect = {
  id: 'D3',
  markers: [OPEN],
  kind: 'tag',
  *read(cursor, tools) {
    yield* cursor.take(OPEN);
    yield* cursor.space();
    const name = nameInBlock(cursor, yield* takeWord(cursor, '<>{}[]"\' \t\r\n'), tools);
    if (name === undefined) return undefined;
    yield* cursor.space();
    if ((yield* peekLiteral(cursor, [KEY, CLOSE])) === undefined) return undefined;
    const schema = tools.get(name)?.schema;
    const members = new Map<string, string>();
    while (yield* cursor.take(KEY)) {
      const pair = yield* readPair(cursor);
      if (pair === undefined) return undefined;
      // A key that comes twice stands in a quoted call.
      if (members.has(pair.key)) cursor.reject();
      members.set(pair.key, parameterText(pair.value, propertySchema(schema, pair.key)));
      yield* cursor.space();
    }
    const closed = (yield* takeClosing(cursor, [CLOSE])) || (yield* peekLiteral(cursor, [OPEN])) !== undefined;
    return closed ? [{ name, arguments: objectText(members) }] : undefined;
  },
};

function* readPair(cursor: Cursor): DialectReading<{ readonly key: string; readonly value: string } | undefined> {
  const key = yield* takeWord(cursor, '<');
  if (key === undefined || !(yield* cursor.take('</arg_key>'))) return undefined;
  yield* cursor.space();
  if (!(yield* cursor.take(VALUE))) return undefined;
  cursor.begin();
  const raw = yield* readRawValue(cursor, TAGS);
  return raw === undefined ? undefined : { key, value: withoutPadding(raw, 'pair') };
}
