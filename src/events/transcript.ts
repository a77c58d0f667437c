import type { ThreadItem, ToolCallItem } from '../base/event.ts';
import { type CallItem, type Item, isCall, isCallOutput } from '../base/item.ts';
import { isRecord } from '../base/json-schema.ts';
import type { EventMessage, ItemMetadata, LogLine, OutputMetadata, OxbowLine, UserCommandLine } from '../base/log.ts';
import { begunCall, endedCall, withArguments } from './call-item.ts';
import { type ShownItemOptions, shownItem } from './shown-item.ts';

/** The items of a thread, built from its log: the items that were shown while it ran, with long texts cut. */
export interface Transcript {
  apply(line: LogLine): void;
  /** Returns the items in the order in which they began. A call without an output is still running or was lost. */
  items(): readonly TranscriptItem[];
}

/** An item of a thread as it was shown. */
export interface TranscriptItem {
  /** Null outside turns, and in logs whose turns have no ids. */
  readonly turnId: string | null;
  readonly item: ThreadItem;
}

export function createTranscript(options: ShownItemOptions): Transcript {
  const state: TranscriptState = {
    options,
    entries: [],
    calls: new Map(),
    plans: new Map(),
    commands: new Map(),
    turns: [],
    turnId: null,
  };
  return {
    apply(line) {
      if (line.type === 'response_item') applyItem(state, line.payload, line.metadata);
      if (line.type === 'event_msg') applyEvent(state, line.payload);
      if (line.type === 'oxbow') applyOwn(state, line.payload);
    },
    items: () => state.entries.flatMap(({ turnId, items }) => items.map((item) => ({ turnId, item }))),
  };
}

/**
 * One entry of the transcript. A call may have several items: a command that is repeated outside the sandbox is a
 * second.
 */
interface Entry {
  readonly turnId: string | null;
  items: ThreadItem[];
  /** The call, as long as it is shown as a call and not as its effect. */
  call?: ToolCallItem;
}

interface TranscriptState {
  readonly options: ShownItemOptions;
  readonly entries: Entry[];
  /** Calls by id. A server may reuse an id: the last call counts. */
  readonly calls: Map<string, Entry>;
  /** Entries of plans, by id. Later calls change a plan in place. */
  readonly plans: Map<string, Entry>;
  /** Entries of the user's commands, by id. */
  readonly commands: Map<string, Entry>;
  /** First entry of each turn, and the entries of the turn that are input of the user. */
  readonly turns: { readonly from: number; readonly inputs: number[] }[];
  turnId: string | null;
}

function applyItem(state: TranscriptState, item: Item, metadata: ItemMetadata | undefined): void {
  if (isCall(item)) {
    openCall(state, item);
    return;
  }
  if (isCallOutput(item)) {
    const entry = state.calls.get(item.call_id);
    if (entry?.call) entry.items = [endedCall(entry.call, item.output, metadata ?? {})];
    return;
  }
  const shown = shownItem(item, state.options);
  if (!shown) return;
  if (shown.type === 'user_message') noteInput(state);
  state.entries.push({ turnId: state.turnId, items: [shown] });
}

/** Notes user input. Older programs do not mark the beginning of a turn: then each input begins one. */
function noteInput(state: TranscriptState): void {
  const turn = state.turns.at(-1);
  const { length: from } = state.entries;
  if (turn && state.turnId !== null) turn.inputs.push(from);
  else state.turns.push({ from, inputs: [from] });
}

function openCall(state: TranscriptState, item: CallItem): void {
  const call = begunCall(item);
  const entry: Entry = { turnId: state.turnId, items: [call], call };
  state.entries.push(entry);
  state.calls.set(item.call_id, entry);
}

function applyEvent(state: TranscriptState, event: EventMessage): void {
  switch (event.type) {
    case 'task_started':
      state.turnId = event.turn_id ?? null;
      state.turns.push({ from: state.entries.length, inputs: [] });
      return;
    case 'task_complete':
    case 'turn_aborted':
      state.turnId = null;
      return;
    case 'thread_rolled_back':
      takeBack(state, event.num_turns);
      return;
  }
}

function applyOwn(state: TranscriptState, line: OxbowLine): void {
  if (line.kind === 'turn.failed' || line.kind === 'turn.suspended') state.turnId = null;
  if (line.kind === 'call.started' && typeof line.arguments === 'string') {
    const entry = state.calls.get(line.call_id);
    if (entry?.call) {
      entry.call = withArguments(entry.call, line.arguments);
      entry.items = [entry.call];
    }
  }
  if (line.kind === 'call.finished') {
    const { output, metadata } = line;
    applyItem(state, output, metadata as OutputMetadata);
  }
  if (line.kind === 'item' && isShownItem(line.item)) showItem(state, line);
  if (line.kind === 'command.started' || line.kind === 'command.ended') showCommand(state, line);
}

/** Shows a command of the user, where it began. */
function showCommand(state: TranscriptState, { id, turn_id, item }: UserCommandLine): void {
  if (!isShownItem(item)) return;
  const known = state.commands.get(id);
  if (known) {
    known.items = [item];
    return;
  }
  const entry: Entry = { turnId: turn_id ?? null, items: [item] };
  state.entries.push(entry);
  state.commands.set(id, entry);
}

function showItem(state: TranscriptState, { item, call_id, turn_id }: Extract<OxbowLine, { kind: 'item' }>): void {
  const place = call_id === undefined ? undefined : state.calls.get(call_id);
  // The item is shown instead of the call.
  if (place?.call) {
    place.items = [];
    delete place.call;
  }
  const known = item.type === 'plan' ? state.plans.get(item.id) : place;
  if (known?.items.some(({ id }) => id === item.id)) {
    known.items = known.items.map((one) => (one.id === item.id ? item : one));
    return;
  }
  const entry = place ?? { turnId: turn_id, items: [] };
  if (!place) state.entries.push(entry);
  entry.items.push(item);
  if (item.type === 'plan') state.plans.set(item.id, entry);
}

/** Reports whether a value is an item. Any program may have written the log. */
function isShownItem(item: unknown): boolean {
  return isRecord(item) && typeof item.type === 'string' && typeof item.id === 'string';
}

/** Removes the last inputs of the user with all that followed. A turn is removed with its first input. */
function takeBack(state: TranscriptState, count: number): void {
  const { turns, entries } = state;
  let left = count;
  for (let turn = turns.at(-1); left > 0 && turn; turn = turns.at(-1)) {
    const { from, inputs } = turn;
    const part = inputs.length > left ? inputs.splice(-left)[0] : undefined;
    entries.length = Math.min(entries.length, part ?? from);
    if (part !== undefined) return;
    left -= inputs.length;
    turns.pop();
  }
}
