import type { Dialect } from '../dialect.ts';
import { takeAfterSpace } from './parts/literals.ts';
import { startsJson } from './parts/may-be-call.ts';
import { passBlock } from './parts/pass-block.ts';
import { readJsonCalls } from './parts/read-json-calls.ts';
import { readPythonCalls } from './parts/read-python-calls.ts';
import { tagPattern } from './parts/tag-pattern.ts';
import { takeJsonClosing } from './parts/take-json-closing.ts';

const OPEN = ['<|python_tag|>', '<|python_start|>'];
const CLOSE = ['<|python_end|>', '<|eom_id|>', '<|eot_id|>', '<|eom|>', '<|eot|>'];
const TAGS = tagPattern(CLOSE);

/**
 * Reads `<|python_tag|>{"name": …, "parameters": …}; …`, or calls in Python, with or without `<|python_end|>`. Seen
 * with Llama 3 and 4.
 */
export const pythonTag: Dialect = {
  id: 'D9',
  markers: OPEN,
  kind: 'token',
  *read(cursor, tools) {
    yield* takeAfterSpace(cursor, OPEN);
    yield* cursor.space();
    const isJson = yield* startsJson(cursor);
    const calls = isJson ? yield* readJsonCalls(cursor, tools, 'any') : yield* readPythonCalls(cursor, tools);
    // A block without a call is code up to its end.
    if (calls === undefined || cursor.rejected) return yield* passBlock(cursor, TAGS, CLOSE);
    const closed = yield* takeJsonClosing(cursor, CLOSE);
    return closed || cursor.jsonIsWhole ? calls : yield* passBlock(cursor, TAGS, CLOSE);
  },
};
