import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { BorrowedChunk } from '../chat/borrow-repair.ts';

/** One line of the wire, as it may go out. */
export interface LineFrame extends Frame {
  readonly json: Fields;
}

/** Returns a frame made of a line. */
export function lineFrame(json: Fields): LineFrame {
  return new MadeLine(json);
}

/** Frame whose text is written when it is first read: a decoder reads only the value. */
class MadeLine implements LineFrame {
  readonly json: Fields;
  #data: string | undefined;

  constructor(json: Fields) {
    this.json = json;
  }

  get data(): string {
    this.#data ??= JSON.stringify(this.json);
    return this.#data;
  }
}

/** One thing that a server's line says, and the line that says it if no repair changes it. */
export type LineStep =
  /** A part of the answer. Its calls wait for the end of the response if one of them is not whole. */
  | { readonly type: 'said'; readonly frame: LineFrame; readonly delta: Fields; readonly isWhole: boolean }
  /** The end of the answer. `said`: the part of the answer in the same line. */
  | { readonly type: 'done'; readonly frame: LineFrame; readonly said: LineStep | undefined }
  | { readonly type: 'other' | 'error'; readonly frame: LineFrame }
  /** The end mark of the chat wire, or data that is not a line. */
  | { readonly type: 'data' };

/** A step, and the chunk that means the same. */
export interface LineReading {
  readonly chunk: BorrowedChunk;
  readonly step: LineStep;
}
