import type { RepairId } from '../catalog.ts';
import { resolveName } from '../tool-names.ts';
import { isBlank } from '../white-space.ts';
import type { ChatCallPiece } from './call-piece.ts';

/** Call of which pieces have come. */
export interface NumberedCall {
  /** Id from the server; empty if it sent none. */
  readonly givenId: string;
  /** Name as far as it has come. */
  readonly name: string;
  state(): 'blank' | 'open' | 'complete';
}

/** Calls that a piece may belong to. */
export interface Candidates<Call extends NumberedCall> {
  /** Call that now has the piece's index; without an index, the last call. */
  readonly current: Call | undefined;
  /** Call that has the piece's id. */
  readonly named: Call | undefined;
}

export interface ChatCallIdentity<Call> {
  /** Undefined if the piece begins a call. */
  readonly call: Call | undefined;
  readonly repair?: RepairId;
  /** Name together with the part that the piece brings. */
  readonly grown?: string;
}

/** Returns the call that a piece belongs to. */
export function identifyCall<Call extends NumberedCall>(
  piece: ChatCallPiece,
  { current, named }: Candidates<Call>,
  tools: ReadonlyMap<string, unknown>,
): ChatCallIdentity<Call> {
  if (current === undefined) return { call: undefined };
  if (named !== undefined && named !== current) return byName(piece, named, tools);
  if (piece.id === '' || named === current) return byName(piece, current, tools);
  return byOtherId(piece, current);
}

/** Identifies a piece whose id is not known. */
function byOtherId<Call extends NumberedCall>(piece: ChatCallPiece, call: Call): ChatCallIdentity<Call> {
  const same: ChatCallIdentity<Call> = { call, repair: 'B4' };
  // Without a name the piece cannot begin a call.
  if (piece.name === '') return same;
  if (piece.name === call.name) {
    const grows = call.state() === 'blank' && piece.id.startsWith(call.givenId);
    if (grows || (call.state() === 'open' && continues(piece.input))) return same;
  }
  return { call: undefined, ...again(piece) };
}

/** Reports whether arguments continue others. */
function continues(input = ''): boolean {
  return !isBlank(input) && !input.trimStart().startsWith('{');
}

/** Identifies a piece that only its name may distinguish from the call. */
function byName<Call extends NumberedCall>(
  piece: ChatCallPiece,
  call: Call,
  tools: ReadonlyMap<string, unknown>,
): ChatCallIdentity<Call> {
  const { name, input = '' } = piece;
  if (name === '' || call.name === '') return { call };
  const anonymous = piece.index === undefined && piece.id === '';
  if (name === call.name) {
    const next = anonymous && call.state() === 'complete' && !isBlank(input);
    return next ? { call: undefined } : { call, repair: 'B5' };
  }
  const grown = call.state() === 'blank' ? grownName(call.name, name, tools) : undefined;
  if (grown !== undefined) return { call, repair: 'B5', grown };
  const another = anonymous || call.state() === 'complete' || (call.state() === 'blank' && tools.has(name));
  return another ? { call: undefined, ...again(piece) } : { call, repair: 'B5' };
}

/** Returns the repair of a further call under an index that is in use. */
function again({ index }: ChatCallPiece): { readonly repair?: RepairId } {
  return index === undefined ? {} : { repair: 'B6' };
}

/** Returns the name that a further part makes, if it leads to a tool. The part may repeat the name so far. */
function grownName(name: string, part: string, tools: ReadonlyMap<string, unknown>): string | undefined {
  const forms = part.startsWith(name) ? [part, name + part] : [name + part];
  return forms.find((form) => leadsToTool(form, tools));
}

function leadsToTool(name: string, tools: ReadonlyMap<string, unknown>): boolean {
  if (tools.has(name)) return true;
  for (const tool of tools.keys()) if (tool.startsWith(name)) return true;
  return resolveName(name, tools) !== undefined;
}

/** Reports whether a further part may make another name of this one. */
export function isOpenName(name: string, tools: ReadonlyMap<string, unknown>): boolean {
  if (tools.size === 0) return false;
  if (!tools.has(name)) return true;
  for (const tool of tools.keys()) if (tool.length > name.length && tool.startsWith(name)) return true;
  return false;
}
