import type { Item } from '../base/item.ts';
import { messageText } from '../base/item.ts';
import type { EventMessage, LogLine, OxbowLine } from '../base/log.ts';
import { itemPreview } from './thread-head.ts';

/** A turn as a person finds it again. */
export interface ThreadTurn {
  /** From 1. Turns that were taken back are not counted. */
  readonly number: number;
  readonly id: string | null;
  /** `unfinished`: nothing says how it ended. `running`: nor did it, a process has the thread open. */
  readonly status: 'completed' | 'interrupted' | 'failed' | 'unfinished' | 'running';
  /** As ISO text. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** The first words of what the user said; null in a turn that only made the history shorter. */
  readonly input: string | null;
  /** The final answer; null while there is none. */
  readonly answer: string | null;
}

/** Where a line stands: as the n-th of the log from 0, and when it was written. */
export interface LinePlace {
  readonly index: number;
  readonly time: string | null;
}

export type PlacedTurn = { -readonly [K in keyof ThreadTurn]: ThreadTurn[K] } & {
  /** The index after its last line; null where nothing ended it. */
  end: number | null;
  /** Its first lines are not in the log: what was said in it is not known. */
  readonly lacksStart: boolean;
};

export interface TurnList {
  apply(line: LogLine, place: LinePlace): void;
  readonly turns: readonly PlacedTurn[];
}

/** The turns of a log, told by its lines in their order. */
export function createTurnList(): TurnList {
  const state: TurnState = { turns: [], before: 0, marked: false };
  return {
    turns: state.turns,
    apply(line, place) {
      if (line.type === 'event_msg') applyEvent(state, line.payload, place);
      if (line.type === 'oxbow') applyOwn(state, line.payload, place);
      if (line.type === 'response_item') applyItem(state, line.payload, place);
    },
  };
}

interface TurnState {
  readonly turns: PlacedTurn[];
  /** How many there were before those that the log still has. */
  before: number;
  /** Older programs did not write where a turn begins: then each input begins one. */
  marked: boolean;
}

function applyEvent(state: TurnState, event: EventMessage, place: LinePlace): void {
  switch (event.type) {
    case 'task_started':
      state.marked = true;
      begin(state, event.turn_id, place);
      return;
    case 'task_complete': {
      const turn = end(state, event.turn_id, 'completed', place);
      if (turn) turn.answer = event.last_agent_message ?? turn.answer;
      return;
    }
    case 'turn_aborted':
      end(state, event.turn_id, 'interrupted', place);
      return;
    case 'thread_rolled_back':
      takeBack(state, event.num_turns);
      return;
  }
}

function applyOwn(state: TurnState, line: OxbowLine, place: LinePlace): void {
  if (line.kind === 'turn.failed') end(state, line.turn_id, 'failed', place);
  if (line.kind !== 'checkpoint' || state.turns.length > 0) return;
  // The turn in which the history was replaced began before that.
  state.marked = true;
  state.before = Math.max(0, line.turns - 1);
  begin(state, null, place, true);
}

function applyItem(state: TurnState, item: Item, place: LinePlace): void {
  if (item.type !== 'message') return;
  const input = itemPreview(item);
  if (input !== null && !state.marked) begin(state, null, place);
  const turn = state.turns.at(-1);
  if (!turn || turn.end !== null) return;
  turn.input ??= input;
  if (item.role !== 'assistant') return;
  turn.answer = messageText(item);
  if (!state.marked) turn.status = 'completed';
}

function begin({ turns, before }: TurnState, id: string | null, { index, time }: LinePlace, lacksStart = false): void {
  const last = turns.at(-1);
  if (last) last.end ??= index;
  const number = before + turns.length + 1;
  const startedAt = lacksStart ? null : time;
  const told = { status: 'unfinished', endedAt: null, input: null, answer: null, end: null } as const;
  turns.push({ number, id, startedAt, ...told, lacksStart });
}

function end(
  { turns }: TurnState,
  id: string,
  status: ThreadTurn['status'],
  { index, time }: LinePlace,
): PlacedTurn | undefined {
  const turn = turns.findLast((one) => one.id === id || (one.id === null && one.end === null));
  return turn && Object.assign(turn, { id, status, endedAt: time, end: index + 1 });
}

/** Only turns in which the user said something count. */
function takeBack(state: TurnState, count: number): void {
  let left = count;
  while (left > 0 && state.turns.length > 0) {
    const turn = state.turns.pop();
    if (turn?.lacksStart || turn?.input != null) left--;
  }
  state.before = Math.max(0, state.before - left);
}
