import type { Fields } from '../../wire/fields/request-fields.ts';
import type { ArgumentPiece } from '../arguments/create-argument-repair.ts';
import type { FinishCalls } from '../finish.ts';
import { depthOf } from '../json-depth.ts';
import { MAX_ARGUMENT_CHARS, MAX_DEPTH } from '../limits.ts';
import { isBlank } from '../white-space.ts';
import { type ChatCallPiece, changedPiece, firstPiece, isEmptyPiece, nextPiece } from './call-piece.ts';
import { type CallSlot, closeName, createSlot, type OtherCall, repairOf } from './call-slot.ts';
import { bareUnit, restFrame, type Unit, unitWith } from './chunk.ts';
import { type ChatCallIdentity, identifyCall } from './identify-call.ts';
import { repairIdentity } from './repair-identity.ts';
import { admitCall, type ChatRepairState, giveUp } from './response-state.ts';

/** Calls of one choice. */
export interface Calls {
  readonly response: ChatRepairState;
  readonly slots: CallSlot[];
  /** Call that an index of the server means by now. */
  readonly byIndex: Map<number, CallSlot>;
  readonly byId: Map<string, CallSlot>;
  /** Indexes in use in the output, and the next free one. */
  readonly places: Set<number>;
  nextPlace: number;
  /** Slot of the call that began last in the output: arguments of an earlier slot may hold a further call (C6). */
  last: CallSlot | undefined;
  /** Calls that were found in texts or in an error. */
  readonly found: { readonly name: string; readonly input: string }[];
}

export function createCalls(response: ChatRepairState): Calls {
  return {
    response,
    slots: [],
    byIndex: new Map(),
    byId: new Map(),
    places: new Set(),
    nextPlace: 0,
    last: undefined,
    found: [],
  };
}

/** Reads one piece of one call. The unit has no other piece. */
export function takePiece(calls: Calls, unit: Unit, piece: ChatCallPiece): void {
  const { response } = calls;
  const current = currentSlot(calls, piece);
  const named = piece.id === '' ? undefined : calls.byId.get(piece.id);
  const identity = identifyCall(piece, { current, named }, response.context.tools);
  const isOpen = current !== undefined && current.ended === undefined;
  if (piece.input === undefined) giveUp(response, TOO_DEEP, SMALLER);
  else if (isEmptyPiece(piece) && !isOpen) takeEmpty(calls, unit, { piece, current });
  else if (identity.call?.ended !== undefined) takeLate(response, unit, piece);
  else takeKnown(calls, unit, { piece, input: piece.input, identity });
}

/** Passes an empty piece, unless its index belongs to another call in the output. */
function takeEmpty(
  calls: Calls,
  unit: Unit,
  { piece, current }: { piece: ChatCallPiece; current: CallSlot | undefined },
): void {
  const { queue, reporter } = calls.response;
  const { index, raw } = piece;
  const isOfAnother = index !== undefined && calls.places.has(index) && current?.place !== index;
  if (!isOfAnother) {
    queue.put(unit.frame);
    return;
  }
  reporter.report('B2', { before: raw, after: 'left out' });
  const { tool_calls, ...rest } = unit.delta;
  const left = restFrame(unit, rest);
  if (left !== undefined) queue.put(left);
}

interface KnownPiece {
  readonly piece: ChatCallPiece;
  readonly input: string;
  readonly identity: ChatCallIdentity<CallSlot>;
}

function takeKnown(calls: Calls, unit: Unit, { piece, input, identity }: KnownPiece): void {
  const { response } = calls;
  const slot = identity.call ?? openSlot(calls, piece);
  const change = repairIdentity(response, slot, piece, identity);
  if (piece.converted) response.reporter.report('C1', { callId: slot.id, before: piece.raw, after: input });
  const isSame = change === undefined && !piece.converted;
  const repaired = isSame
    ? unit
    : withPiece(unit, changedPiece(piece.raw, change ?? {}, piece.converted ? input : undefined));
  if (input === '') slot.held.pass(repaired, '', '');
  else takeInput(calls, slot, repaired, input);
}

/** Adds a call that was found elsewhere, and returns its id. */
export function addCall(calls: Calls, base: Unit, name: string, input: string): string {
  const { id } = admitCall(calls.response, '');
  calls.found.push({ name, input });
  put(calls, base, firstPiece({ index: takePlace(calls), id, name, input }));
  return id;
}

/** End of a response, as its calls see it. */
export interface CallsEnd {
  /** Whether a limit was reached. */
  readonly cut: boolean;
  /** Without a finish signal no bracket is closed. Without the end mark either, only complete calls count. */
  readonly by: 'signal' | 'mark' | 'connection';
}

/** Completes the calls that are open. */
export function endCalls(calls: Calls, base: Unit, end: CallsEnd): void {
  for (const slot of calls.slots) if (slot.ended === undefined) endSlot(calls, slot, base, end);
}

/** Reports whether there are calls, and all of them are complete without anything that ends them. */
export function areWhole({ slots }: Calls): boolean {
  return slots.length > 0 && slots.every((slot) => slot.state() === 'complete');
}

/** Returns the state of all calls. */
export function callsState({ slots, last, found }: Calls): FinishCalls {
  if (slots.length + found.length === 0) return 'none';
  if (last?.ended === 'broken') return 'broken';
  return slots.some(({ ended }) => ended === 'broken') ? 'garbled' : 'whole';
}

/** Releases the text of calls that is certain. */
export function releaseCalls({ slots, response }: Calls): void {
  for (const slot of slots) {
    closeName(slot, response);
    slot.held.release();
  }
}

function currentSlot(calls: Calls, { index, id, name }: ChatCallPiece): CallSlot | undefined {
  const slot = index === undefined ? calls.slots.at(-1) : calls.byIndex.get(index);
  // After the finish signal, a piece with a name does not belong to an earlier call.
  const isApart = slot?.ended !== undefined && name !== '' && !calls.byId.has(id);
  return isApart ? undefined : slot;
}

/** Passes more input of a call that has ended, so that the reader notices it. Drops a mere repetition. */
function takeLate({ queue }: ChatRepairState, unit: Unit, { id, input = '' }: ChatCallPiece): void {
  if (id === '' && !isBlank(input)) queue.put(unit.frame);
}

function openSlot(calls: Calls, piece: ChatCallPiece): CallSlot {
  const { response, slots, byIndex, byId } = calls;
  for (const slot of slots) closeName(slot, response);
  const place = takePlace(calls, piece.index);
  const { id, repair } = admitCall(response, piece.id);
  if (repair !== undefined && !piece.legacy)
    response.reporter.report(repair, { callId: id, before: piece.id, after: id });
  const slot = createSlot(response, piece, { place, id });
  slots.push(slot);
  calls.last = slot;
  // A server that left the index out of the first piece may send it later.
  if (piece.index !== undefined || !byIndex.has(place)) byIndex.set(piece.index ?? place, slot);
  if (piece.id !== '') byId.set(piece.id, slot);
  return slot;
}

/** Returns the wanted index if it is free, otherwise the next one. */
function takePlace(calls: Calls, wanted = calls.nextPlace): number {
  const place = calls.places.has(wanted) ? calls.nextPlace : wanted;
  calls.places.add(place);
  calls.nextPlace = Math.max(calls.nextPlace, place + 1);
  return place;
}

function takeInput(calls: Calls, slot: CallSlot, unit: Unit, input: string): void {
  const { response } = calls;
  slot.chars += input.length;
  if (slot.chars > MAX_ARGUMENT_CHARS) giveUp(response, TOO_LONG, SMALLER);
  closeName(slot, response);
  if (slot.custom) slot.held.pass(unit, input, input);
  else takeArguments(calls, slot, unit, input);
}

const TOO_LONG = `a tool call with more than ${MAX_ARGUMENT_CHARS} characters of arguments`;
const TOO_DEEP = `a tool call with arguments nested deeper than ${MAX_DEPTH} levels`;
const SMALLER = 'Ask for smaller steps.';

function takeArguments(calls: Calls, slot: CallSlot, unit: Unit, input: string): void {
  const pieces = repairOf(slot, calls.response).push(input);
  const own = ownText(slot, pieces);
  const isSplit = slot.others.size > 0 || pieces.some(({ object }) => object > 0);
  if (!isSplit) slot.held.pass(unit, input, own);
  else {
    slot.held.replace(unit, own);
    takeOthers(calls, slot, bareUnit(unit), pieces);
  }
}

/** Returns the text of the call itself. The text is kept to compare it with calls in the answer. */
function ownText(slot: CallSlot, pieces: readonly ArgumentPiece[]): string {
  const [only] = pieces;
  const own =
    pieces.length === 1 && only?.object === 0
      ? only.text
      : pieces.map((piece) => (piece.object === 0 ? piece.text : '')).join('');
  slot.sent.push(own);
  return own;
}

/** Emits the objects after the first as calls of their own (C6). */
function takeOthers(calls: Calls, slot: CallSlot, base: Unit, pieces: readonly ArgumentPiece[]): void {
  for (const { object, text: input } of pieces) {
    if (object === 0) continue;
    const known = slot.others.get(object);
    const { place: index, id, sent } = known ?? openOther(calls, slot, object);
    sent.push(input);
    put(calls, base, known ? nextPiece(index, input) : firstPiece({ index, id, name: slot.outName, input }));
  }
}

function openOther(calls: Calls, slot: CallSlot, object: number): OtherCall {
  const other = { place: takePlace(calls), id: admitCall(calls.response, '').id, sent: [] };
  slot.others.set(object, other);
  calls.last = slot;
  return other;
}

function endSlot(calls: Calls, slot: CallSlot, base: Unit, { cut, by }: CallsEnd): void {
  closeName(slot, calls.response);
  const state = slot.state();
  if (slot.custom) {
    slot.held.finish('');
    slot.ended = by === 'connection' ? 'broken' : 'whole';
    return;
  }
  const isOpen = by === 'connection' ? state !== 'complete' : by === 'mark' && state === 'open';
  const end = repairOf(slot, calls.response).end(cut || isOpen);
  const left = slot.held.finish(ownText(slot, end.pieces));
  if (left !== '') put(calls, base, nextPiece(slot.place, left));
  takeOthers(calls, slot, base, end.pieces);
  slot.ended = end.state;
  if (end.state === 'broken' && depthOf(slot.sent.join('')) > MAX_DEPTH) giveUp(calls.response, TOO_DEEP, SMALLER);
}

function put({ response }: Calls, base: Unit, piece: Fields): void {
  response.queue.put(withPiece(base, piece).frame);
}

function withPiece(unit: Unit, piece: Fields): Unit {
  return unitWith(unit, { ...unit.delta, tool_calls: [piece] });
}
