import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { type ArgumentRepair, createArgumentRepair } from '../arguments/create-argument-repair.ts';
import { resolveName } from '../tool-names.ts';
import { type ChatCallPiece, changedPiece, pieceName, saysMore } from './call-piece.ts';
import { restFrame, type Unit, unitWith } from './chunk.ts';
import { createHeldText, type HeldText } from './held-text.ts';
import { isOpenName, type NumberedCall } from './identify-call.ts';
import type { ChatRepairState } from './response-state.ts';

/** Call of which pieces have come. */
export interface CallSlot extends NumberedCall {
  /** Index and id of the call in the output. */
  readonly place: number;
  readonly id: string;
  readonly custom: boolean;
  readonly held: HeldText;
  /** Name as far as it has come, name in the frame that brought it, and name in the output. */
  name: string;
  saidName: string;
  outName: string;
  /** Whether more of the name may come. */
  nameOpen: boolean;
  repair: ArgumentRepair | undefined;
  /** Number of characters of input so far. */
  chars: number;
  /** Input that went out. */
  readonly sent: string[];
  /** Further calls that the arguments turned out to hold (C6), by the number of their object. */
  readonly others: Map<number, OtherCall>;
  ended: 'whole' | 'broken' | undefined;
}

export interface OtherCall {
  readonly place: number;
  readonly id: string;
  readonly sent: string[];
}

/** Creates the slot of a call that begins with a piece. */
export function createSlot(
  response: ChatRepairState,
  piece: ChatCallPiece,
  { place, id }: Pick<CallSlot, 'place' | 'id'>,
): CallSlot {
  const slot: CallSlot = {
    place,
    id,
    givenId: piece.id,
    custom: piece.custom,
    held: createHeldText({ queue: response.queue, write: (unit, input) => writeInput(slot, unit, input) }),
    name: '',
    saidName: '',
    outName: '',
    nameOpen: false,
    repair: undefined,
    chars: 0,
    sent: [],
    others: new Map(),
    ended: undefined,
    state() {
      if (slot.ended !== undefined) return 'complete';
      return slot.repair?.state ?? (slot.chars > 0 ? 'open' : 'blank');
    },
  };
  return slot;
}

/** Reads the name of a call, or the beginning of the name. */
export function openName(slot: CallSlot, { name, input }: ChatCallPiece, response: ChatRepairState): void {
  slot.name = name;
  slot.nameOpen = input === '' && slot.chars === 0 && isOpenName(name, response.context.tools);
  slot.held.locked = slot.nameOpen;
  slot.outName = slot.nameOpen ? name : toolName(slot, response);
  slot.saidName = slot.outName;
}

/** Ends the name of a call. */
export function closeName(slot: CallSlot, response: ChatRepairState): void {
  if (!slot.nameOpen) return;
  slot.nameOpen = false;
  slot.outName = toolName(slot, response);
  slot.held.locked = false;
  if (slot.outName === slot.saidName) slot.held.settle();
  else slot.held.rewrite();
}

/** Returns the repair of the arguments, created once the name is known. */
export function repairOf(slot: CallSlot, { context, reporter }: ChatRepairState): ArgumentRepair {
  slot.repair ??= createArgumentRepair({
    schema: context.tools.get(slot.outName)?.schema,
    htmlEntities: context.compat.htmlEntities,
    onRepair: (id, before, after) => reporter.report(id, { callId: slot.id, before, after }),
  });
  return slot.repair;
}

/** Beginning of a token of a model's own format. */
const TOKEN = '<|';

/** Returns the tool that a name means (B15, D11). A name that means no tool passes unchanged. */
function toolName({ id: callId, name }: CallSlot, { context: { tools }, reporter }: ChatRepairState): string {
  const tool = tools.has(name) ? name : resolveName(name, tools);
  if (tool === undefined || tool === name) return name;
  const bare = name.split(TOKEN, 1)[0]?.trim() ?? name;
  if (bare !== name.trim()) reporter.report('D11', { callId, before: name, after: bare });
  if (bare !== tool) reporter.report('B15', { callId, before: bare, after: tool });
  return tool;
}

/** Returns the frame of a unit that holds one piece of this call, with another input. */
function writeInput(slot: CallSlot, unit: Unit, input: string): Frame | undefined {
  const { tool_calls, ...rest } = unit.delta;
  const [raw] = tool_calls as readonly Fields[];
  if (raw === undefined) return undefined;
  const isNamed = pieceName(raw) !== '';
  if (input === '' && !isNamed && !saysMore(raw)) return restFrame(unit, rest);
  const piece = changedPiece(raw, isNamed ? { name: slot.outName } : {}, input);
  return unitWith(unit, { ...rest, tool_calls: [piece] }).frame;
}
