import { textOf } from '../field-values.ts';
import type { ChatCallPiece, PieceChange } from './call-piece.ts';
import { type CallSlot, openName } from './call-slot.ts';
import type { ChatCallIdentity } from './identify-call.ts';
import type { ChatRepairState } from './response-state.ts';

/** Returns the change after which a call has one index, one id and one name. Undefined if the piece is right. */
export function repairIdentity(
  response: ChatRepairState,
  slot: CallSlot,
  piece: ChatCallPiece,
  identity: ChatCallIdentity<CallSlot>,
): PieceChange | undefined {
  reportIdentity(response, slot, piece, identity);
  const index = piece.index === slot.place ? undefined : slot.place;
  const id = identity.call === undefined ? firstId(slot, piece) : laterId(slot, piece);
  const name = nameChange(response, slot, piece, identity);
  const type = identity.call === undefined ? firstType(response, slot, piece) : undefined;
  const isSame = index === undefined && id === undefined && name === undefined && type === undefined;
  return isSame ? undefined : { index, id, name, type };
}

function firstId(slot: CallSlot, { id }: ChatCallPiece): PieceChange['id'] {
  return id === slot.id ? undefined : slot.id;
}

/** Returns the type of a call that begins without one (B12). */
function firstType({ reporter }: ChatRepairState, slot: CallSlot, { raw, custom }: ChatCallPiece): PieceChange['type'] {
  if (textOf(raw.type) !== '') return undefined;
  const type = custom ? 'custom' : 'function';
  reporter.report('B12', { callId: slot.id, before: raw, after: { type } });
  return type;
}

function laterId(slot: CallSlot, { raw, id }: ChatCallPiece): PieceChange['id'] {
  return raw.id === '' || (id !== '' && id !== slot.id) ? null : undefined;
}

/**
 * Returns the change of the name. A name goes out once, in the piece that brought its beginning, when all of it has
 * come.
 */
function nameChange(
  response: ChatRepairState,
  slot: CallSlot,
  piece: ChatCallPiece,
  identity: ChatCallIdentity<CallSlot>,
): PieceChange['name'] {
  if (piece.name !== '' && slot.name === '') {
    openName(slot, piece, response);
    return slot.outName === piece.name ? undefined : slot.outName;
  }
  if (identity.grown !== undefined) slot.name = identity.grown;
  return piece.name !== '' || (piece.nameless && identity.call !== undefined) ? null : undefined;
}

function reportIdentity(
  { reporter }: ChatRepairState,
  slot: CallSlot,
  piece: ChatCallPiece,
  { call, repair, grown }: ChatCallIdentity<CallSlot>,
): void {
  const { index, id, name, raw, legacy, nameless } = piece;
  const callId = slot.id;
  if (index === undefined && !legacy) {
    reporter.report('B1', { callId, before: 'no index', after: `index ${slot.place}` });
  }
  if (call !== undefined && (raw.id === '' || nameless))
    reporter.report('B2', { callId, before: raw, after: 'left out' });
  if (repair === 'B4') reporter.report(repair, { callId, before: id, after: slot.id });
  if (repair === 'B5') reporter.report(repair, { callId, before: name, after: grown ?? slot.name });
  if (repair === 'B6') reporter.report(repair, { callId, before: `index ${index}`, after: `index ${slot.place}` });
}
