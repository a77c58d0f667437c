import type { ContentPart, Item } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import type { DeclaredTool } from '../lowering/declared-tools.ts';
import { fromFunctionForm, toolName } from '../lowering/function-form.ts';
import { callId, itemId, type OwnType } from '../lowering/own-ids.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { createReasoningDetails } from './reasoning-details.ts';

/** The items of a response that are still growing. Changes are reported to `emit`. */
export interface OpenChatItems {
  addText(part: 'text' | 'refusal', delta: string): void;
  addReasoning(delta: string): void;
  /** Adds the entries of one frame's `reasoning_details`, which are sent back to the server and not shown. */
  addDetails(pieces: readonly unknown[]): void;
  addCall(piece: CallPiece): void;
  /**
   * Completes the open reasoning, message and calls. Returns the number of calls that stay incomplete because they have
   * no name.
   */
  close(calls: 'complete' | 'drop'): number;
  /** Whether no reasoning, message or call is open. */
  readonly isEmpty: boolean;
}

/** The part of a call in one frame. An empty text adds nothing. */
export interface CallPiece {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly kind: 'function' | 'custom';
  readonly input: string;
  /** State that the server wants back with the call. */
  readonly extra: unknown;
}

export interface OpenItemsOptions {
  /** Returns the text that item ids are made of. Called when the first item begins. */
  readonly key: () => string;
  readonly tools: ReadonlyMap<string, DeclaredTool>;
  readonly emit: (event: ModelEvent) => void;
}

interface OpenText {
  readonly id: string;
  text: string;
}

interface OpenMessage extends OpenText {
  refusal: string;
}

interface OpenCall {
  /** Position in the response. */
  readonly place: number;
  readonly index: number | undefined;
  callId: string;
  name: string;
  kind: 'function' | 'custom';
  input: string;
  extra: unknown;
  /** Id of the item, once it was announced. */
  id: string | undefined;
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
  let calls: OpenCall[] = [];
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
        call = openCall(count++, piece.index);
        calls.push(call);
      }
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
    get isEmpty() {
      return reasoning === undefined && message === undefined && calls.length === 0;
    },
  };
}

function openCall(place: number, index: number | undefined): OpenCall {
  return { place, index, callId: '', name: '', kind: 'function', input: '', extra: undefined, id: undefined };
}

/** Finds the call of a piece. A server that does not number calls sends an id or a name when the next call begins. */
function callFor({ index, id, name }: CallPiece, calls: readonly OpenCall[]): OpenCall | undefined {
  if (index !== undefined) return calls.find((call) => call.index === index);
  if (id !== '') return calls.find((call) => call.callId === id);
  return name === '' ? calls.at(-1) : undefined;
}

const isBlank = ({ id, name, input }: CallPiece) => id === '' && name === '' && input === '';

function continueCall(call: OpenCall, piece: CallPiece, options: OpenItemsOptions): void {
  if (call.callId === '') call.callId = piece.id;
  if (call.name === '') {
    call.name = piece.name;
    call.kind = piece.kind;
  }
  call.input += piece.input;
  call.extra = piece.extra ?? call.extra;
  const type = expectedType(call, options);
  if (call.name === '' || type === undefined) return;
  // Input that came before the name was held back: a call without a name cannot be announced.
  const delta = call.id === undefined ? call.input : piece.input;
  const itemId = announce(call, type, options);
  if (isStreamed(call, type) && delta !== '') options.emit({ type: 'input.delta', itemId, delta });
}

/** Returns the type that a call is sure to have; undefined where its arguments decide. */
function expectedType({ name, kind }: OpenCall, { tools }: OpenItemsOptions): OwnType | undefined {
  const tool = tools.get(name);
  if (tool?.kind === 'local_shell') return undefined;
  return tool?.kind === 'custom' || kind === 'custom' ? 'custom_tool_call' : 'function_call';
}

/**
 * Reports whether the input of a call can be streamed. The text of a custom tool that is sent as a function is wrapped
 * in JSON, and can only be read whole.
 */
function isStreamed(call: OpenCall, type: OwnType): boolean {
  return type === 'function_call' || call.kind === 'custom';
}

function announce(call: OpenCall, type: OwnType, { key, tools, emit }: OpenItemsOptions): string {
  if (call.id !== undefined) return call.id;
  call.id = itemId(type, key(), call.place);
  const named = type === 'local_shell_call' ? {} : toolName(call.name, tools.get(call.name));
  emit({ type: 'item.started', item: { type, id: call.id, ...named, ...(call.callId && { callId: call.callId }) } });
  return call.id;
}

function finishCall(call: OpenCall, options: OpenItemsOptions): void {
  const { tools, emit } = options;
  const ids = { id: call.id ?? '', call_id: call.callId };
  const tool = tools.get(call.name);
  const item =
    call.kind === 'custom'
      ? ({ type: 'custom_tool_call', ...ids, ...toolName(call.name, tool), input: call.input } as const)
      : fromFunctionForm({ name: call.name, arguments: call.input }, ids, tool);
  const streamed = call.id !== undefined && isStreamed(call, item.type);
  const id = announce(call, item.type, options);
  const delta = wholeInput(item);
  if (!streamed && delta !== '') emit({ type: 'input.delta', itemId: id, delta });
  emit({ type: 'item.done', item: { ...item, id } });
}

/** Returns the text of a call that could not be streamed. */
function wholeInput(item: Item): string {
  if (item.type === 'custom_tool_call') return item.input;
  return item.type === 'function_call' ? item.arguments : '';
}

/** Encodes the state that goes back to the server unchanged, in the form that a reasoning item carries. */
function opaqueStateOf(details: readonly unknown[], calls: readonly OpenCall[]): string | null {
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
