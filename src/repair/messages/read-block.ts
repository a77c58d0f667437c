import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { createGrowingText, type GrowingTextOptions, TELLING_PIECES } from '../growing-text.ts';
import { ObjectEnd } from '../object-end.ts';
import type { BlockKind, MessageFrame, ServerBlock } from './step.ts';

/** Block with the state of its reading. */
export class ReadBlock implements ServerBlock {
  readonly kind: BlockKind;
  readonly frame: MessageFrame;
  readonly index: number;
  readonly place: number | undefined;
  readonly input = createGrowingText<MessageFrame>(GROWING_INPUT);
  readonly end = new ObjectEnd();
  said = false;
  stopped = false;
  /** Whether the call went out without input. Input that comes later would make a second call. */
  isBlank = false;
  /** Whether the input of the call may be that of two calls. Nothing more goes into such a call. */
  isTorn = false;
  /** Whether the server did not begin the call. */
  isMissing = false;
  /** Index under which the input of the call comes. */
  source: number | undefined;
  /** Pieces under an index that has not begun. */
  strays: BlockPiece[] = [];
  /** Pieces that came after the end of the call, until it is clear that they are its own. */
  readonly late: BlockPiece[] = [];
  /** Input and signature that came with the beginning (I1), until they are sent. */
  unsaid = { input: '', signature: '' };

  constructor(kind: BlockKind, frame: MessageFrame, index: number, place: number | undefined) {
    this.kind = kind;
    this.frame = frame;
    this.index = index;
    this.place = place;
  }

  get start(): Fields {
    return this.frame.json;
  }

  /** Whether nothing of the input has come, under any index. */
  get hasNoInput(): boolean {
    return !this.said && this.source === undefined && this.unsaid.input === '';
  }

  /** Reports whether a piece of this kind may continue the block, whatever its index says. */
  misses(kind: BlockKind | undefined): boolean {
    return kind === undefined || (this.kind === kind && !(kind === 'call' && this.end.isClosed));
  }

  /** A block stands in chunks, and reports of repairs quote chunks. */
  toJSON(): undefined {
    return undefined;
  }
}

/** Piece of a block, and its content. */
export interface BlockPiece {
  readonly frame: MessageFrame;
  readonly value: unknown;
}

/** A nested object may begin like the whole input. Then the pieces together are JSON, and the last is not. */
const GROWING_INPUT: GrowingTextOptions = {
  isTold: (pieces) => pieces.length >= TELLING_PIECES,
  isToldAtEnd: (pieces) => isObject(pieces.at(-1) ?? '') && !isObject(pieces.join('')),
};

function isObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}
