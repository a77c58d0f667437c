import type { RepairId } from '../catalog.ts';
import { resolveName } from '../tool-names.ts';
import { isBlank } from '../white-space.ts';
import type { ChatCallPiece } from './call-piece.ts';

/** What is known of a call of which pieces have come. */
export interface NumberedCall {
  /** The id that the server gave; empty if it gave none. */
  readonly givenId: string;
  /** The name as far as it has come. */
  readonly name: string;
  readonly state: 'blank' | 'open' | 'complete';
}

/** The calls that a piece may belong to. */
export interface Candidates<Call extends NumberedCall> {
  /** The call that has the piece's index by now; without an index, the last one. */
  readonly current: Call | undefined;
  /** The call that has the piece's id. */
  readonly named: Call | undefined;
}

export interface ChatCallIdentity<Call> {
  /** Undefined: the piece begins a call. */
  readonly call: Call | undefined;
  readonly repair?: RepairId;
  /** The name with the part of it that the piece brings. */
  readonly grown?: string;
}

/** Which call a piece belongs to. */
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

/** A piece with an id that no call has. */
function byOtherId<Call extends NumberedCall>(piece: ChatCallPiece, call: Call): ChatCallIdentity<Call> {
  const same: ChatCallIdentity<Call> = { call, repair: 'B4' };
  // Without a name it cannot begin a call.
  if (piece.name === '') return same;
  if (piece.name === call.name) {
    const grows = call.state === 'blank' && piece.id.startsWith(call.givenId);
    if (grows || (call.state === 'open' && continues(piece.input))) return same;
  }
  return { call: undefined, ...again(piece) };
}

/** Arguments that do not begin. */
function continues(input = ''): boolean {
  return !isBlank(input) && !input.trimStart().startsWith('{');
}

/** A piece that only its name may tell from the call. */
function byName<Call extends NumberedCall>(
  piece: ChatCallPiece,
  call: Call,
  tools: ReadonlyMap<string, unknown>,
): ChatCallIdentity<Call> {
  const { name, input = '' } = piece;
  if (name === '' || call.name === '') return { call };
  const anonymous = piece.index === undefined && piece.id === '';
  if (name === call.name) {
    const next = anonymous && call.state === 'complete' && !isBlank(input);
    return next ? { call: undefined } : { call, repair: 'B5' };
  }
  const grown = call.state === 'blank' ? grownName(call.name, name, tools) : undefined;
  if (grown !== undefined) return { call, repair: 'B5', grown };
  const another = anonymous || call.state === 'complete' || (call.state === 'blank' && tools.has(name));
  return another ? { call: undefined, ...again(piece) } : { call, repair: 'B5' };
}

/** A further call under an index that is in use. */
function again({ index }: ChatCallPiece): { readonly repair?: RepairId } {
  return index === undefined ? {} : { repair: 'B6' };
}

/** The name that a part of one makes of another, if it leads to a tool: the part may repeat what came before it. */
function grownName(name: string, part: string, tools: ReadonlyMap<string, unknown>): string | undefined {
  const forms = part.startsWith(name) ? [part, name + part] : [name + part];
  return forms.find((form) => leadsToTool(form, tools));
}

function leadsToTool(name: string, tools: ReadonlyMap<string, unknown>): boolean {
  if (tools.has(name)) return true;
  for (const tool of tools.keys()) if (tool.startsWith(name)) return true;
  return resolveName(name, tools) !== undefined;
}

/** Whether more of a name may come that makes it another one. */
export function isOpenName(name: string, tools: ReadonlyMap<string, unknown>): boolean {
  if (tools.size === 0) return false;
  if (!tools.has(name)) return true;
  for (const tool of tools.keys()) if (tool.length > name.length && tool.startsWith(name)) return true;
  return false;
}
