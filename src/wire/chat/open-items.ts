import type { ContentPart, Item } from '../../base/item.ts';
import {
  type CallPiece,
  continueCall,
  finishCall,
  type GrowingCall,
  type OpenItemsOptions,
  openCall,
} from '../lowering/growing-call.ts';
import { callId, itemId, type OwnType } from '../lowering/own-ids.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { createReasoningDetails } from './reasoning-details.ts';

/** The items of a response that are still growing. Changes are reported to `emit`. */
export interface OpenChatItems {
  addText(part: 'text' | 'refusal', delta: string): void;
  addReasoning(delta: string): void;
  /** Adds the entries of one frame's `reasoning_details`, which are sent back to the server and not shown. */
  addDetails(pieces: readonly unknown[]): void;
  addCall(piece: NumberedPiece): void;
  /**
   * Completes the open reasoning, message and calls. Returns the number of calls that stay incomplete because they have
   * no name.
   */
  close(calls: 'complete' | 'drop'): number;
  /** Reports whether no reasoning, message or call is open. */
  isEmpty(): boolean;
}

/** The part of a call in one frame. An empty text adds nothing. */
export interface NumberedPiece extends CallPiece {
  readonly index: number | undefined;
  /** State that the server wants back with the call. */
  readonly extra: unknown;
}

interface OpenText {
  readonly id: string;
  text: string;
}

interface OpenMessage extends OpenText {
  refusal: string;
}

interface OpenChatCall extends GrowingCall {
  readonly index: number | undefined;
  extra: unknown;
}

/**
 * Creates the items of one response, none of them open. Positions are counted over all items, so that no two items
 * share an id.
 */
export function createOpenItems(options: OpenItemsOptions): OpenChatItems {
  const { key, emit } = options;
  let count = 0;
  let reasoning: OpenText | undefined;
  let message: OpenMessage | undefined;
  let calls: OpenChatCall[] = [];
  let details = createReasoningDetails();

  const start = (type: OwnType): string => {
    const id = itemId(type, key(), count++);
    emit({ type: 'item.started', item: { type, id } });
    return id;
  };

  return {
    addText(part, delta) {
      message ??= { id: start('message'), text: '', refusal: '' };
      message[part] += delta;
      const { id: itemId } = message;
      emit(
        part === 'text' ? { type: 'text.delta', itemId, delta } : { type: 'text.delta', itemId, delta, refusal: true },
      );
    },
    addReasoning(delta) {
      reasoning ??= { id: start('reasoning'), text: '' };
      reasoning.text += delta;
      emit({ type: 'reasoning.delta', itemId: reasoning.id, kind: 'raw', delta });
    },
    addDetails: (pieces) => details.add(pieces),
    addCall(piece) {
      let call = callFor(piece, calls);
      if (call === undefined) {
        if (isBlank(piece)) return;
        call = Object.assign(openCall(count++), { index: piece.index, extra: undefined });
        calls.push(call);
      }
      call.extra = piece.extra ?? call.extra;
      continueCall(call, piece, options);
    },
    close(ending) {
      const ended = ending === 'complete' ? calls : [];
      const named = ended.filter(({ name }) => name !== '');
      for (const call of named) call.callId ||= callId(key(), call.place, call.name);
      const state = opaqueStateOf(details.entries(), named);
      if (state !== null) reasoning ??= { id: start('reasoning'), text: '' };
      if (reasoning) emit({ type: 'item.done', item: reasoningItem(reasoning, state) });
      if (message) emit({ type: 'item.done', item: messageItem(message) });
      for (const call of named) finishCall(call, options);
      reasoning = undefined;
      message = undefined;
      calls = [];
      details = createReasoningDetails();
      return ended.length - named.length;
    },
    isEmpty: () => reasoning === undefined && message === undefined && calls.length === 0,
  };
}

/** Finds the call of a piece. A server that does not number calls sends an id or a name when the next call begins. */
function callFor({ index, id, name }: NumberedPiece, calls: readonly OpenChatCall[]): OpenChatCall | undefined {
  if (index !== undefined) return calls.find((call) => call.index === index);
  if (id !== '') return calls.find((call) => call.callId === id);
  return name === '' ? calls.at(-1) : undefined;
}

const isBlank = ({ id, name, input }: CallPiece) => id === '' && name === '' && input === '';

/** Encodes the state that goes back to the server unchanged, in the form that a reasoning item carries. */
function opaqueStateOf(details: readonly unknown[], calls: readonly OpenChatCall[]): string | null {
  const extra = calls.flatMap((call) => (call.extra === undefined ? [] : [[call.callId, call.extra] as const]));
  if (details.length === 0 && extra.length === 0) return null;
  return encodeOpaqueState({ details, extra: new Map(extra) });
}

function reasoningItem({ id, text }: OpenText, state: string | null): Item {
  const content = text === '' ? null : [{ type: 'reasoning_text' as const, text }];
  return { type: 'reasoning', id, summary: [], content, encrypted_content: state };
}

function messageItem({ id, text, refusal }: OpenMessage): Item {
  const content: ContentPart[] = [];
  if (text !== '') content.push({ type: 'output_text', text });
  if (refusal !== '') content.push({ type: 'refusal', refusal });
  return { type: 'message', id, role: 'assistant', content };
}
