import type { Dialect } from '../dialect.ts';
import { INVOKE_GRAMMAR } from './parts/invoke-grammar.ts';
import { NAMESPACED_TAG } from './parts/product-tokens.ts';
import { readInvokes } from './parts/read-invokes.ts';

/**
 * Reads `invoke name="NAME">parameter name="KEY">VALUEparameter>invoke>`, whose opening brackets are lost (seen with
 * exo and mlx-lm). It begins like a word, so it counts only at the beginning of a message: elsewhere every such letter
 * would hold text back.
 */
export const invokeWithoutBrackets: Dialect = {
  id: 'D7',
  markers: ['invoke name=', NAMESPACED_TAG],
  kind: 'message',
  read: (cursor, tools) => readInvokes(cursor, tools, INVOKE_GRAMMAR),
};
