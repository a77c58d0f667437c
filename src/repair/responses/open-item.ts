import type { Fields } from '../../wire/fields/request-fields.ts';
import { wordOf } from '../field-values.ts';
import type { CallSegment } from '../text/segment.ts';
import type { CallArguments } from './call-arguments.ts';
import type { TextPart } from './text-part.ts';

/** Item that has begun and is not complete. */
export type OpenItem = OpenMessage | OpenReasoning | OpenCallItem | OpenOther;

interface OpenItemBase {
  /** Item as it was announced. */
  readonly announced: Fields;
  readonly id: string | undefined;
  readonly index: unknown;
}

/** Returns the common fields of an open item, from the item and the event that announced it. */
export function baseOf(item: Fields, { output_index: index }: Fields): OpenItemBase {
  return { announced: item, id: wordOf(item.id), index };
}

export interface OpenMessage extends OpenItemBase {
  readonly type: 'message';
  readonly parts: ReadonlyMap<number, TextPart>;
  /** Calls in the text. */
  readonly found: readonly CallSegment[];
  /** Whether a text went out that is not blank. */
  readonly said: boolean;
  /** Whether something was removed from the text. */
  readonly isTouched: boolean;
  /** Whether nothing is left of the message and it was not announced yet. */
  readonly vanishes: boolean;
  /** Returns the part with this number. Begins it if it is new. */
  part(index: unknown): TextPart;
  /** Ends a part. `whole` is the text that the server says it had. */
  endPart(part: TextPart, whole: string): void;
}

export interface OpenReasoning extends OpenItemBase {
  readonly type: 'reasoning';
  /** Whether an event of the item came before its end. */
  readonly isAnnounced: boolean;
  /** Calls in the text that may count. */
  readonly found: readonly CallSegment[];
  readonly content: ReadonlyMap<unknown, TextPart>;
  readonly summary: ReadonlyMap<unknown, TextPart>;
  /** Returns the part with this number. Begins it if it is new. */
  part(list: PartList, index: unknown): TextPart;
}

export type PartList = 'content' | 'summary';

export interface OpenCallItem extends OpenItemBase {
  readonly type: 'call';
  readonly kind: CallKind;
  /** Whether a tool that accepts a text is called as a function (H2). */
  readonly takesText: boolean;
  readonly input: CallArguments;
  identity: CallIdentity;
  /** The ended item of a call that is not whole. The end of the response decides about it. */
  ended: Fields | undefined;
}

export type CallKind = 'function_call' | 'custom_tool_call' | 'local_shell_call';

/** Identity of a call, as it came and as it goes out. */
export interface CallIdentity {
  /** Id from the server. */
  readonly givenId: string | undefined;
  /** Undefined while it is not needed: the id may come with the end of the call. */
  readonly callId: string | undefined;
  readonly name: string | undefined;
  /** Whether the call names a namespace that was never declared. */
  readonly misplaced: boolean;
}

/** Item that is not repaired. */
interface OpenOther extends OpenItemBase {
  readonly type: 'other';
}
