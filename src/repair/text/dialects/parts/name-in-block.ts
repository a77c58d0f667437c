import type { Cursor } from '../../cursor.ts';
import { declaredName } from './declared-name.ts';
import type { Tools } from './reading.ts';

const NAME = /^[^\s<>{}()[\]"',;=]+$/;

/**
 * Returns the declared tool that a name means. A name without a tool is returned unchanged and the block is refused.
 * The block is still read on, so that a call quoted in its arguments does not run. Undefined if the word is not a name.
 */
export function nameInBlock(cursor: Cursor, word: string | undefined, tools: Tools): string | undefined {
  if (word === undefined || word === '') return undefined;
  const name = declaredName(word, tools);
  if (name !== undefined) return name;
  if (!NAME.test(word)) return undefined;
  cursor.reject();
  return word;
}
