import type { Fields } from '../../wire/fields/request-fields.ts';
import { freeformInput } from '../../wire/lowering/freeform-input.ts';
import { wordOf } from '../field-values.ts';
import { depthOf } from '../json-depth.ts';
import { MAX_DEPTH } from '../limits.ts';
import { isBlank } from '../white-space.ts';
import { argumentText, inputText, TOO_DEEP } from './argument-text.ts';
import { createCall, inputField, isBounded, openCall } from './call.ts';
import { settledIdentity, withIdentity } from './call-identity.ts';
import { isCallItem } from './call-items.ts';
import { emitCall } from './emit-call.ts';
import { type EventFrame, madeEventFrame } from './event-frame.ts';
import type { CallKind, OpenCallItem, OpenItem } from './open-item.ts';
import type { OpenItems } from './open-items.ts';
import { giveUp, type RepairStep, type ResponsesRepairState } from './response-state.ts';

/** Reads the announcement of a call. */
export function callAdded(kind: CallKind, frame: EventFrame, response: ResponsesRepairState): void {
  const call = openCall(kind, frame.json, response);
  if (call === undefined) return;
  response.items.open(call);
  const item = withIdentity(call.announced, call.identity);
  passWithItem(frame, call.takesText ? asTextCall(item, '') : withAnnouncedInput(call, item, response), response);
}

/** Reads a piece of the input of a call. */
export function inputDelta(kind: CallKind): RepairStep {
  return (frame, response) => {
    const { json: event } = frame;
    if (response.announcedAgain.has(event.item_id)) return;
    const call = callOf(kind, event, response);
    const delta = call === undefined || event.delta === null ? undefined : textOf(call, event.delta, response);
    if (call === undefined || delta === undefined) return response.output.pass(frame);
    call.input.push(delta, delta === event.delta ? frame : madeEventFrame({ ...event, delta }, frame.event));
    isBounded(call, response);
  };
}

/** Reads the whole input of a call. */
export function inputDone(kind: CallKind): RepairStep {
  return (frame, response) => {
    const { output } = response;
    const { json: event } = frame;
    if (response.announcedAgain.has(event.item_id)) return;
    const call = callOf(kind, event, response);
    if (call === undefined) return output.pass(frame);
    const field = inputField(kind);
    settleInput(call, event[field], response);
    if (call.takesText) return;
    // Nothing runs because of this event. The end of the item shows that a call was cut off.
    const { text, came, end } = call.input;
    if (event[field] === text || (end === 'broken' && event[field] === came)) output.pass(frame);
    else output.rewrite(frame, { [field]: text });
  };
}

/** Reads the end of a call, which may run then. A call that is not whole waits for the end of the response. */
export function callDone(kind: CallKind, frame: EventFrame, response: ResponsesRepairState): void {
  const item = frame.json.item as Fields;
  const known = knownCall(kind, frame.json, response);
  const call = known ?? openCall(kind, frame.json, response);
  if (call === undefined) return;
  // The damaged frame may have held the beginning of this call.
  if (known === undefined && response.damage !== undefined) call.input.hasHole = true;
  call.identity = settledIdentity(item, call.identity, response);
  settleInput(call, item[inputField(kind)], response);
  const isGarbled = call.input.end === 'broken' && isFollowed(call, response);
  if ((call.input.end === 'broken' && !isGarbled) || item.status === 'incomplete') {
    const isTold = call.ended !== undefined;
    call.ended = item;
    response.items.abandon(call);
    // Arguments that are nested too deep must not pass for cut off.
    if (depthOf(call.input.came) > MAX_DEPTH) giveUp(TOO_DEEP, response);
    // A decoder does not run such a call.
    else if (item.status === 'incomplete' && !isTold) response.output.pass(frame);
    return;
  }
  response.items.close(call);
  // A call that waited for the end of the response has moved.
  if (isGarbled && call.ended !== undefined)
    response.reporter.report('A9', { callId: call.identity.callId, before: item, after: 'the same' });
  const next = completedItem(call, item);
  if (call.takesText) announceInput(call, next, response);
  passWithItem(frame, next, response);
  response.completed.push({ came: item, went: next, index: call.index });
  const { name = '', misplaced } = call.identity;
  const namespace = misplaced ? undefined : item.namespace;
  for (const more of call.input.others) emitCall({ name, arguments: more }, namespace, response);
}

/**
 * Reports whether another call follows a call whose arguments break off. The end of the response did not cut them off
 * then. The call passes as it came, and its tool refuses it.
 */
function isFollowed({ index, input, takesText }: OpenCallItem, { completed }: ResponsesRepairState): boolean {
  if (takesText || input.hasHole) return false;
  return completed.some((other) => isCallItem(other.came) && Number(other.index) > Number(index));
}

function callOf(kind: CallKind, event: Fields, { items }: ResponsesRepairState): OpenCallItem | undefined {
  const call = items.find(event.item_id, event.output_index, 'call') ?? endedCall(event, items);
  return call?.kind === kind ? call : undefined;
}

/** Returns the call at the index of an event that has ended and waits for the end of the response. */
function endedCall(event: Fields, items: OpenItems): OpenCallItem | undefined {
  const isEnded = (item: OpenItem): item is OpenCallItem => item.type === 'call' && item.ended !== undefined;
  return items.all.filter(isEnded).findLast(({ index }) => index === event.output_index);
}

/** Returns the open call that ends. A call that was announced as another kind, or without a name, is read anew. */
function knownCall(kind: CallKind, event: Fields, response: ResponsesRepairState): OpenCallItem | undefined {
  const item = event.item as Fields;
  const known = response.items.find(item.id, event.output_index, 'call') ?? namelessCall(item, response);
  if (known === undefined || (known.kind !== kind && !isSameCall(known, item))) return undefined;
  const isNamed = known.identity.name !== undefined || wordOf(item.name) === undefined;
  if (known.kind === kind && isNamed) return known;
  response.items.close(known);
  const named = createCall({ kind, event, identity: settledIdentity(item, known.identity, response) }, response);
  named.input.hasHole = known.input.hasHole;
  if (isEmpty(item[inputField(kind)]) && !known.input.hasHole) {
    named.input.settle(known.input.came, !response.completing);
  }
  return named;
}

function isSameCall({ id, identity: { givenId } }: OpenCallItem, item: Fields): boolean {
  return id === item.id || (givenId !== undefined && givenId === item.call_id);
}

/** Returns the open call with this call id, where neither item has an id and another item replaced the first one. */
function namelessCall(item: Fields, { items }: ResponsesRepairState): OpenCallItem | undefined {
  const callId = wordOf(item.id) === undefined ? wordOf(item.call_id) : undefined;
  if (callId === undefined) return undefined;
  const isIt = (open: OpenItem): open is OpenCallItem =>
    open.type === 'call' && open.id === undefined && open.identity.givenId === callId;
  return items.all.find(isIt);
}

function settleInput(call: OpenCallItem, value: unknown, response: ResponsesRepairState): void {
  if (call.kind === 'local_shell_call') return;
  const { input } = call;
  const text = textOf(call, value, response);
  if (text !== undefined && input.beginsAgainAfter(text)) {
    response.reporter.report('C5', { callId: call.identity.callId, before: input.came, after: text });
  }
  // A limit may have been reached: the server reports it only at the end.
  const mayBeCut = !response.completing && !isFollowed(call, response);
  input.settle(isEmpty(text) && input.isBlank ? announcedInput(call, response) : text, mayBeCut);
  if (isEmpty(text) && !input.isBlank && !input.hasHole) {
    response.reporter.report('H11', { callId: call.identity.callId, before: value ?? '', after: input.text });
  }
  isBounded(call, response);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && isBlank(value));
}

function textOf(
  { kind, identity: { callId } }: OpenCallItem,
  value: unknown,
  response: ResponsesRepairState,
): string | undefined {
  return kind === 'function_call' ? argumentText(value, callId, response) : inputText(value, callId, response);
}

function withAnnouncedInput(call: OpenCallItem, item: Fields, response: ResponsesRepairState): Fields {
  const field = inputField(call.kind);
  const value = item[field];
  if (call.kind === 'local_shell_call' || value === undefined || typeof value === 'string') return item;
  return { ...item, [field]: announcedInput(call, response) };
}

/** Returns the input of the announcement. There, an empty object means nothing. */
function announcedInput(call: OpenCallItem, response: ResponsesRepairState): string {
  const text = textOf(call, call.announced[inputField(call.kind)], response);
  return text === undefined || text === '{}' ? '' : text;
}

function completedItem(call: OpenCallItem, item: Fields): Fields {
  const identified = withIdentity(item, call.identity);
  if (call.kind === 'local_shell_call') return identified;
  if (call.takesText) return asTextCall(identified, freeformInput(call.input.text, call.identity.name ?? ''));
  const field = inputField(call.kind);
  return identified[field] === call.input.text ? identified : { ...identified, [field]: call.input.text };
}

function asTextCall({ arguments: _, namespace: __, ...item }: Fields, input: string): Fields {
  return { ...item, type: 'custom_tool_call', input };
}

function announceInput(call: OpenCallItem, { input }: Fields, { output, reporter }: ResponsesRepairState): void {
  const place = { ...(call.id !== undefined && { item_id: call.id }), output_index: call.index };
  reporter.report('H2', { callId: call.identity.callId, before: call.input.text, after: input });
  output.make('response.custom_tool_call_input.delta', { ...place, delta: input });
  output.make('response.custom_tool_call_input.done', { ...place, input });
}

/** Passes the event of an item, with the repaired item. */
function passWithItem(frame: EventFrame, item: Fields, response: ResponsesRepairState): void {
  if (item === frame.json.item) response.output.pass(frame);
  else {
    response.changed = true;
    response.output.rewrite(frame, { item });
  }
}
