import type { Item } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import type { DeclaredTool } from './declared-tools.ts';
import { fromFunctionForm, toolName } from './function-form.ts';
import { itemId, type OwnType } from './own-ids.ts';

/** A call of a response that is still growing. */
export interface GrowingCall {
  /** Position in the response. */
  readonly place: number;
  callId: string;
  name: string;
  kind: 'function' | 'custom';
  input: string;
  /** Id of the item, once it was announced. */
  id: string | undefined;
}

/** The part of a call in one frame. An empty text adds nothing. */
export interface CallPiece {
  readonly id: string;
  readonly name: string;
  readonly kind: 'function' | 'custom';
  readonly input: string;
}

export interface OpenItemsOptions {
  /** Returns the text that item ids are made of. Called when the first item begins. */
  readonly key: () => string;
  readonly tools: ReadonlyMap<string, DeclaredTool>;
  readonly emit: (event: ModelEvent) => void;
}

export function openCall(place: number): GrowingCall {
  return { place, callId: '', name: '', kind: 'function', input: '', id: undefined };
}

/** Adds a piece to a call. The call is announced as soon as its name and its type are known. */
export function continueCall(call: GrowingCall, piece: CallPiece, options: OpenItemsOptions): void {
  if (call.callId === '') call.callId = piece.id;
  if (call.name === '') {
    call.name = piece.name;
    call.kind = piece.kind;
  }
  call.input += piece.input;
  const type = expectedType(call, options);
  if (call.name === '' || type === undefined) return;
  // Input that came before the name was held back: a call without a name cannot be announced.
  const delta = call.id === undefined ? call.input : piece.input;
  const itemId = announce(call, type, options);
  if (isStreamed(call, type) && delta !== '') options.emit({ type: 'input.delta', itemId, delta });
}

/** Returns the type that a call is sure to have; undefined where its arguments decide. */
function expectedType({ name, kind }: GrowingCall, { tools }: OpenItemsOptions): OwnType | undefined {
  const tool = tools.get(name);
  if (tool?.kind === 'local_shell') return undefined;
  return tool?.kind === 'custom' || kind === 'custom' ? 'custom_tool_call' : 'function_call';
}

/**
 * Reports whether the input of a call can be streamed. The text of a custom tool that is sent as a function is wrapped
 * in JSON, and can only be read whole.
 */
function isStreamed(call: GrowingCall, type: OwnType): boolean {
  return type === 'function_call' || call.kind === 'custom';
}

function announce(call: GrowingCall, type: OwnType, { key, tools, emit }: OpenItemsOptions): string {
  if (call.id !== undefined) return call.id;
  call.id = itemId(type, key(), call.place);
  const named = type === 'local_shell_call' ? {} : toolName(call.name, tools.get(call.name));
  emit({ type: 'item.started', item: { type, id: call.id, ...named, ...(call.callId && { callId: call.callId }) } });
  return call.id;
}

/** Completes a call, which is converted back to the kind of its tool. */
export function finishCall(call: GrowingCall, options: OpenItemsOptions): void {
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
