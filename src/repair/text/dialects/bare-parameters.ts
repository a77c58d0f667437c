import type { Dialect } from '../dialect.ts';
import { readJsonCalls } from './parts/read-json-calls.ts';

/** A message that is nothing but `{"name": …, "parameters": …}`, once or several times. */
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
