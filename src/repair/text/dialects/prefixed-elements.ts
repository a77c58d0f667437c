import type { Cursor } from '../cursor.ts';
import type { Dialect, TextCall } from '../dialect.ts';
import { elementsText } from './parts/elements-text.ts';
import { peekLiteral, takeAfterSpace, takeClosing } from './parts/literals.ts';
import { nameInBlock } from './parts/name-in-block.ts';
import { TAG_PREFIX } from './parts/product-tokens.ts';
import { readAttributes } from './parts/read-attributes.ts';
import { readElements } from './parts/read-elements.ts';
import type { DialectReading, Tools } from './parts/reading.ts';

const BLOCK = `${TAG_PREFIX}<tool_call>`;
const INVOKE = `${TAG_PREFIX}<invoke `;
/** Some tags lack their token. */
const INVOKES = [INVOKE, '<invoke '];
const INVOKE_ENDS = [`${TAG_PREFIX}</invoke>`, '</invoke>'];
const BLOCK_ENDS = [`${TAG_PREFIX}</tool_call>`, '</tool_call>'];

/**
 * Reads `<invoke name="NAME"><KEY>VALUE</KEY></invoke>` with a token before every tag, seen with MiniMax M3. Elements
 * inside another one are the properties of an object, or a list if they are called `item`.
 */
export const prefixedElements: Dialect = {
  id: 'D8',
  markers: [BLOCK, INVOKE],
  kind: 'token',
  *read(cursor, tools) {
    const inBlock = yield* cursor.take(BLOCK);
    const calls: TextCall[] = [];
    for (;;) {
      const next = inBlock || calls.length === 0 ? [...INVOKES, ...BLOCK_ENDS] : BLOCK_ENDS;
      const tag = yield* takeAfterSpace(cursor, next);
      if (tag === undefined || BLOCK_ENDS.includes(tag)) return calls.length > 0 ? calls : undefined;
      const call = yield* readInvoke(cursor, tools);
      if (call === undefined) return undefined;
      calls.push(call);
    }
  },
};

function* readInvoke(cursor: Cursor, tools: Tools): DialectReading<TextCall | undefined> {
  const name = nameInBlock(cursor, (yield* readAttributes(cursor))?.get('name'), tools);
  if (name === undefined) return undefined;
  const elements = yield* readElements(cursor, TAG_PREFIX, [...INVOKE_ENDS, ...BLOCK_ENDS]);
  if (elements === undefined) return undefined;
  const end = yield* takeAfterSpace(cursor, INVOKE_ENDS);
  const closed = end !== undefined || (yield* peekLiteral(cursor, BLOCK_ENDS)) !== undefined;
  // At the end of the text a call counts only if it has arguments: after its name alone they may still follow.
  if (!closed && (elements.length === 0 || !(yield* takeClosing(cursor, INVOKE_ENDS)))) return undefined;
  return { name, arguments: elementsText(elements, tools.get(name)?.schema) };
}
