import type { Dialect } from '../dialect.ts';
import { INVOKE_GRAMMAR } from './parts/invoke-grammar.ts';
import { readInvokes } from './parts/read-invokes.ts';

/**
 * Reads `<invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke>`, in a block or not. Seen with MiniMax
 * M2.
 */
export const invokeTags: Dialect = {
  id: 'D7',
  markers: [...INVOKE_GRAMMAR.block, '<invoke name='].filter((marker) => marker.startsWith('<')),
  kind: 'tag',
  read: (cursor, tools) => readInvokes(cursor, tools, INVOKE_GRAMMAR),
};
