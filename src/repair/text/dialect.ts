import type { RepairId } from '../catalog.ts';
import type { RepairTool } from '../context.ts';
import type { Cursor } from './cursor.ts';

/** A way in which models write calls into their text. */
export interface Dialect {
  readonly id: RepairId;
  /**
   * Texts that may begin a block. One that begins with a letter is looked for only where a line begins. All dialects
   * that have a marker at a place read on from there side by side; the first in their order that finds calls is right.
   */
  readonly markers: readonly string[];
  /**
   * `token`: the marker is a special token of a model. `tag`: it is not. People write about both, so the place of the
   * block is looked at. `message`: the block is a call only if it is the whole message.
   */
  readonly kind: 'token' | 'tag' | 'message';
  /**
   * Reads one block from the marker on. Yields where it needs more text than has come. Undefined as soon as it is clear
   * that this is no block of calls to declared tools; what it had read stays text then.
   */
  read(cursor: Cursor, tools: ReadonlyMap<string, RepairTool>): Generator<void, readonly TextCall[] | undefined, void>;
}

/** A call found in a text. */
export interface TextCall {
  /** The name of a declared tool. */
  readonly name: string;
  /** A JSON text. */
  readonly arguments: string;
}
