import type { Cursor } from '../../cursor.ts';
import { declaredName } from './declared-name.ts';
import type { Tools } from './reading.ts';

const NAME = /^[^\s<>{}()[\]"',;=]+$/;

/**
 * The declared tool that a name means. A name that no tool has is given as it is and the block rejected: it is read on
 * all the same, so that nothing that its arguments quote is taken for a call. Undefined if it is no name.
 */
export function nameInBlock(cursor: Cursor, word: string | undefined, tools: Tools): string | undefined {
  if (word === undefined || word === '') return undefined;
  const name = declaredName(word, tools);
  if (name !== undefined) return name;
  if (!NAME.test(word)) return undefined;
  cursor.reject();
  return word;
}
