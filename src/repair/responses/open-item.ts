import type { Fields } from '../../wire/fields/request-fields.ts';
import { wordOf } from '../field-values.ts';
import type { CallSegment } from '../text/segment.ts';
import type { CallArguments } from './call-arguments.ts';
import type { TextPart } from './text-part.ts';

/** An item that began and is not complete. */
export type OpenItem = OpenMessage | OpenReasoning | OpenCallItem | OpenOther;

interface OpenItemBase {
  /** As it was announced. */
  readonly announced: Fields;
  readonly id: string | undefined;
  readonly index: unknown;
}

/** What every open item has, read off the item and the event that announced it. */
export function baseOf(item: Fields, { output_index: index }: Fields): OpenItemBase {
  return { announced: item, id: wordOf(item.id), index };
}

export interface OpenMessage extends OpenItemBase {
  readonly type: 'message';
  readonly parts: ReadonlyMap<number, TextPart>;
  /** Calls that stood in its text. */
  readonly found: readonly CallSegment[];
  /** A text went out that is not blank. */
  readonly said: boolean;
  /** Something was taken out of its text. */
  readonly isTouched: boolean;
  /** Nothing is left of it, and it was not announced yet. */
  readonly vanishes: boolean;
  /** The part of this number, which begins now if it did not before. */
  part(index: unknown): TextPart;
  /** Ends a part whose text the server says was `whole`. */
  endPart(part: TextPart, whole: string): void;
}

export interface OpenReasoning extends OpenItemBase {
  readonly type: 'reasoning';
  /** Something came of it before its end. */
  readonly isAnnounced: boolean;
  /** Calls that stood in its text and may count. */
  readonly found: readonly CallSegment[];
  readonly content: ReadonlyMap<unknown, TextPart>;
  readonly summary: ReadonlyMap<unknown, TextPart>;
  /** The part of this number, which begins now if it did not before. */
  part(list: PartList, index: unknown): TextPart;
}

export type PartList = 'content' | 'summary';

export interface OpenCallItem extends OpenItemBase {
  readonly type: 'call';
  readonly kind: CallKind;
  /** A tool that takes a text is called as a function (H2). */
  readonly takesText: boolean;
  readonly input: CallArguments;
  identity: CallIdentity;
  /** Its item, where it came to its end and is not whole: only the end of the response tells what to make of it. */
  ended: Fields | undefined;
}

export type CallKind = 'function_call' | 'custom_tool_call' | 'local_shell_call';

/** Who a call is, in what came and in what goes out. */
export interface CallIdentity {
  /** The id that the server gave. */
  readonly givenId: string | undefined;
  /** Undefined until it must be known: it may come with the end of the call. */
  readonly callId: string | undefined;
  readonly name: string | undefined;
  /** The call names a place for its tool that was never declared. */
  readonly misplaced: boolean;
}

/** An item of which nothing is looked at. */
interface OpenOther extends OpenItemBase {
  readonly type: 'other';
}
