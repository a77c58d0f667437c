import { repairJson } from '../../../arguments/repair-json.ts';
import type { Cursor } from '../../cursor.ts';
import type { TextCall } from '../../dialect.ts';
import { declaredName } from './declared-name.ts';
import { nameInBlock } from './name-in-block.ts';
import { pythonArguments } from './python-literals.ts';
import type { DialectReading, Tools } from './reading.ts';
import { takeWord } from './take-word.ts';

/** Reads `[NAME(KEY=VALUE, …), …]`, with or without the brackets. */
export function* readPythonCalls(cursor: Cursor, tools: Tools): DialectReading<TextCall[] | undefined> {
  const listed = yield* cursor.take('[');
  const calls: TextCall[] = [];
  for (;;) {
    yield* cursor.space();
    if (listed && calls.length > 0 && (yield* cursor.take(']'))) return calls;
    const call = yield* readCall(cursor, tools);
    if (call === undefined) return undefined;
    calls.push(call);
    yield* cursor.space();
    if (!listed) return calls;
    if (yield* cursor.take(',')) continue;
    const next = yield* cursor.peek();
    if (next !== ']') return next === undefined ? calls : undefined;
  }
}

function* readCall(cursor: Cursor, tools: Tools): DialectReading<TextCall | undefined> {
  const word = yield* takeWord(cursor, '([]{}<>"\'=,; \t\r\n');
  const name = declaredName(word?.replace(/\.call$/, ''), tools) ?? nameInBlock(cursor, word, tools);
  if (name === undefined || !(yield* cursor.take('('))) return undefined;
  cursor.begin();
  const inside = yield* cursor.while(insideBrackets());
  if (!(yield* cursor.take(')'))) return undefined;
  const written = pythonArguments(inside);
  const text = written === undefined ? undefined : repairJson(written, tools.get(name)?.schema);
  return text === undefined ? undefined : { name, arguments: text };
}

/** Returns a test for `Cursor.while` that accepts the characters before the closing bracket. */
function insideBrackets(): (code: number) => boolean {
  let depth = 1;
  let quote = '';
  let escaped = false;
  return (code) => {
    const char = String.fromCharCode(code);
    if (escaped) escaped = false;
    else if (quote !== '') {
      if (char === '\\') escaped = true;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    return depth > 0;
  };
}
