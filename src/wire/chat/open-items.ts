import type { ContentPart, Item } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import type { DeclaredTool } from '../lowering/declared-tools.ts';
import { fromFunctionForm, toolName } from '../lowering/function-form.ts';
import { callId, itemId, type OwnType } from '../lowering/own-ids.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { createReasoningDetails } from './reasoning-details.ts';

/** The items of a response that are still growing. What happens to them is told to `emit`. */
export interface OpenChatItems {
  addText(part: 'text' | 'refusal', delta: string): void;
  addReasoning(delta: string): void;
  /** What one frame says of the reasoning that is not for reading, but to be sent back. */
  addDetails(pieces: readonly unknown[]): void;
  addCall(piece: CallPiece): void;
  /** Completes what is open: reasoning, message, calls. Gives the number of calls that could not be: they have no name. */
  close(calls: 'complete' | 'drop'): number;
  /** Whether nothing is open that people or tools would see. */
  readonly isEmpty: boolean;
}

/** What one frame says of one call. Empty texts say nothing. */
export interface CallPiece {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly kind: 'function' | 'custom';
  readonly input: string;
  /** What the server wants back with the call. */
  readonly extra: unknown;
}

export interface OpenItemsOptions {
  /** What the items' ids are made of; asked when the first item begins. */
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
  /** Its place in the response. */
  readonly place: number;
  readonly index: number | undefined;
  callId: string;
  name: string;
  kind: 'function' | 'custom';
  input: string;
  extra: unknown;
  /** The id of the item, once it was announced. */
  id: string | undefined;
}

/** Nothing open yet. Places in the response are counted over all items, so that no two share an id. */
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
      emit({ type: 'text.delta', itemId: message.id, delta });
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
      const carried = carriedBy(details.entries(), named);
      if (carried !== null) reasoning ??= { id: start('reasoning'), text: '' };
      if (reasoning) emit({ type: 'item.done', item: reasoningItem(reasoning, carried) });
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

/** The call that a piece belongs to. Servers that do not number calls say an id or a name when another one begins. */
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
  // What came before the name was held back: without a name nothing could be said of the call.
  const delta = call.id === undefined ? call.input : piece.input;
  const itemId = announce(call, type, options);
  if (isStreamed(call, type) && delta !== '') options.emit({ type: 'input.delta', itemId, delta });
}

/** The type that a call will have for sure; undefined where its arguments decide. */
function expectedType({ name, kind }: OpenCall, { tools }: OpenItemsOptions): OwnType | undefined {
  const tool = tools.get(name);
  if (tool?.kind === 'local_shell') return undefined;
  return tool?.kind === 'custom' || kind === 'custom' ? 'custom_tool_call' : 'function_call';
}

/** The text of a custom tool is packed in JSON where a function stands for it: it can be told when it is whole. */
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

/** The text of a call that could not be told piece by piece. */
function wholeInput(item: Item): string {
  if (item.type === 'custom_tool_call') return item.input;
  return item.type === 'function_call' ? item.arguments : '';
}

/** What goes back to the server as it came, in the form in which a reasoning item carries it. */
function carriedBy(details: readonly unknown[], calls: readonly OpenCall[]): string | null {
  const extra = calls.flatMap((call) => (call.extra === undefined ? [] : [[call.callId, call.extra] as const]));
  if (details.length === 0 && extra.length === 0) return null;
  return encodeOpaqueState({ details, extra: new Map(extra) });
}

function reasoningItem({ id, text }: OpenText, carried: string | null): Item {
  const content = text === '' ? null : [{ type: 'reasoning_text' as const, text }];
  return { type: 'reasoning', id, summary: [], content, encrypted_content: carried };
}

function messageItem({ id, text, refusal }: OpenMessage): Item {
  const content: ContentPart[] = [];
  if (text !== '') content.push({ type: 'output_text', text });
  if (refusal !== '') content.push({ type: 'refusal', refusal });
  return { type: 'message', id, role: 'assistant', content };
}
