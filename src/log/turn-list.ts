import type { Item } from '../base/item.ts';
import { messageText } from '../base/item.ts';
import type { EventMessage, LogLine, OxbowLine } from '../base/log.ts';
import { itemPreview } from './thread-head.ts';

/** A turn in a list of turns. */
export interface ThreadTurn {
  /** Number from 1. Turns that were rolled back are not counted. */
  readonly number: number;
  readonly id: string | null;
  /**
   * `unfinished`: the log has no end of the turn. `running`: the same, and a process has the thread open. `suspended`:
   * the turn ended with open questions, and the next turn begins with an answer or without.
   */
  readonly status: 'completed' | 'interrupted' | 'failed' | 'suspended' | 'unfinished' | 'running';
  /** ISO text. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** Beginning of the user input; null in a turn that only compacted the history or began with an answer. */
  readonly input: string | null;
  /** Final answer; null if there is none yet. */
  readonly answer: string | null;
}

/** Position of a line: its index in the log from 0, and its time. */
export interface LinePlace {
  readonly index: number;
  readonly time: string | null;
}

export type PlacedTurn = { -readonly [K in keyof ThreadTurn]: ThreadTurn[K] } & {
  /** Index after the last line of the turn; null if nothing ended it. */
  end: number | null;
  /** Whether the first lines of the turn are not in the log, so that its input is unknown. */
  readonly lacksStart: boolean;
  /** Number of inputs of the user, with those that came while the turn ran. */
  inputs: number;
};

export interface TurnList {
  apply(line: LogLine, place: LinePlace): void;
  readonly turns: readonly PlacedTurn[];
  /** Turns that were rolled back. Their lines are still in the log. */
  readonly dropped: readonly PlacedTurn[];
}

/** Creates a list of turns, built from the lines of a log in order. */
export function createTurnList(): TurnList {
  const state: TurnState = { turns: [], dropped: [], before: 0, marked: false };
  return {
    turns: state.turns,
    dropped: state.dropped,
    apply(line, place) {
      if (line.type === 'event_msg') applyEvent(state, line.payload, place);
      if (line.type === 'oxbow') applyOwn(state, line.payload, place);
      if (line.type === 'response_item') applyItem(state, line.payload, place);
    },
  };
}

interface TurnState {
  readonly turns: PlacedTurn[];
  readonly dropped: PlacedTurn[];
  /** Number of turns before the first one in the log. */
  before: number;
  /** Whether the log marks the beginning of turns. In logs of older programs, each input begins a turn. */
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
      takeBack(state, event.num_turns, place);
      return;
  }
}

function applyOwn(state: TurnState, line: OxbowLine, place: LinePlace): void {
  if (line.kind === 'turn.failed') end(state, line.turn_id, 'failed', place);
  if (line.kind === 'turn.suspended') end(state, line.turn_id, 'suspended', place);
  if (line.kind !== 'checkpoint' || state.turns.length > 0) return;
  // The turn that replaced the history began before this line.
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
  if (input !== null) turn.inputs++;
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
  turns.push({ number, id, startedAt, ...told, lacksStart, inputs: lacksStart ? 1 : 0 });
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

/** Removes the last inputs of the user with all that followed. A turn is removed with its first input. */
function takeBack(state: TurnState, count: number, { index }: LinePlace): void {
  let left = count;
  for (let turn = state.turns.at(-1); left > 0 && turn; turn = state.turns.at(-1)) {
    if (turn.inputs > left) {
      turn.inputs -= left;
      // The end of the turn is only reached with the line that rolls back a part of it.
      turn.end = index + 1;
      return;
    }
    left -= turn.inputs;
    turn.end ??= index;
    state.turns.pop();
    state.dropped.push(turn);
  }
  state.before = Math.max(0, state.before - left);
}
