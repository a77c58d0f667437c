import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { BorrowedChunk } from '../chat/borrow-repair.ts';

/** One event of the wire, as it may go out. */
export interface MessageFrame extends Frame {
  readonly json: Fields;
}

/** Returns a frame made of an event. */
export function eventFrame(json: Fields): MessageFrame {
  return new MadeEvent(json);
}

/** Frame whose text is written when it is first read: a decoder reads only the value. */
class MadeEvent implements MessageFrame {
  readonly json: Fields;
  readonly event: string;
  #data: string | undefined;

  constructor(json: Fields) {
    this.json = json;
    this.event = String(json.type);
  }

  get data(): string {
    this.#data ??= JSON.stringify(this.json);
    return this.#data;
  }
}

/** `other`: a block that a repair does not look into, such as a tool that the server runs. */
export type BlockKind = 'text' | 'thinking' | 'call' | 'other';

/** Block as its server sends it. */
export interface ServerBlock {
  readonly kind: BlockKind;
  /** The event that began the block. */
  readonly start: Fields;
  /** Number of a call among the calls of the message. */
  readonly place: number | undefined;
  /** Whether something has come for it. */
  readonly said: boolean;
  /** Whether the server closed it. */
  readonly stopped: boolean;
}

/** One thing that a server's frame says, and the frame that says it if no repair changes it. */
export type Step =
  | BlockStep
  | { readonly type: 'message' | 'other' | 'error' | 'finish'; readonly frame: MessageFrame }
  | { readonly type: 'end'; readonly frame: MessageFrame; readonly usage: Fields | undefined }
  /** The end mark of the chat wire, or data that is not an event. */
  | { readonly type: 'data' };

/** One thing that is said about a block. */
export type BlockStep =
  /** `empty`: a piece without content. */
  | { readonly type: 'start' | 'delta' | 'empty' | 'stop'; readonly block: ServerBlock; readonly frame: MessageFrame }
  /** A call ended without any input, which means `{}` on this wire. */
  | { readonly type: 'blank'; readonly block: ServerBlock };

/** A step, and the chunk that means the same. */
export interface EventReading {
  readonly chunk: BorrowedChunk;
  readonly step: Step;
}
