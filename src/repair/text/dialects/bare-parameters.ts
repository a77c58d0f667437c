import type { Dialect } from '../dialect.ts';
import { readJsonCalls } from './parts/read-json-calls.ts';

/** Reads a message that is only `{"name": …, "parameters": …}`, once or several times. Seen with Llama 3. */
export const bareParameters: Dialect = {
  id: 'D9',
  markers: ['{'],
  kind: 'message',
  *read(cursor, tools) {
    const calls = yield* readJsonCalls(cursor, tools, 'parameters');
    if (calls === undefined) return undefined;
    if ((yield* cursor.peek()) === undefined) return calls;
    cursor.endBlock();
    return undefined;
  },
};
