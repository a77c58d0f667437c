import type { RepairId } from '../catalog.ts';
import type { RepairTool } from '../context.ts';
import type { Cursor } from './cursor.ts';

/** Way in which models write calls into their text. */
export interface Dialect {
  readonly id: RepairId;
  /**
   * Texts that may begin a block. A marker that begins with a letter counts only at the beginning of a line. All
   * dialects with a marker at one place read on side by side, and the first in order that finds calls is right.
   */
  readonly markers: readonly string[];
  /**
   * `token`: the marker is a special token of a model. `tag`: the marker is a plain tag. People write about both, so
   * the text around the block decides too. `message`: the block is a call only if it is the whole message.
   */
  readonly kind: 'token' | 'tag' | 'message';
  /**
   * Reads one block from the marker on, and yields while it needs more text. Undefined as soon as it is clear that this
   * is not a block of calls to declared tools; then the text stays text.
   */
  read(cursor: Cursor, tools: ReadonlyMap<string, RepairTool>): Generator<void, readonly TextCall[] | undefined, void>;
}

/** Call found in a text. */
export interface TextCall {
  /** Name of a declared tool. */
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}
