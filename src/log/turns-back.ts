import { isFromUser } from '../base/is-from-user.ts';
import { type Item, isCall, isCallOutput } from '../base/item.ts';
import type { LogLine } from '../base/log.ts';
import type { PlacedLine } from '../base/thread-store.ts';
import { lineHead } from './line-head.ts';
import type { LineDecoder } from './rollout-line.ts';

/** The last turns of a thread. */
export interface TurnsBack {
  /** Lines of these turns in their order, with lines between turns and turns that were rolled back. */
  readonly lines: readonly LogLine[];
  /** Place of the first of these lines, to read on from there. Null if there are no turns before. */
  readonly before: TurnsPlace | null;
  /** Whether the lines begin within a turn, because the turn is long. */
  readonly isCut: boolean;
}

/** A place between two lines of a log. */
export interface TurnsPlace {
  readonly cursor: string;
  /** Number of inputs before this place that were rolled back after it. */
  readonly taken: number;
}

export interface TurnsBackOptions {
  readonly decode: LineDecoder;
  /** Number of inputs before the first line to read that were rolled back. */
  readonly taken: number;
  /** Number of bytes after which a turn is cut. */
  readonly mostBytes: number;
  /** Reports whether no line before this one is needed. `turns` is the number of whole turns so far. */
  isEnough(line: LogLine, turns: number): boolean;
  /** Reports whether a line is of use. Lines of other types are not decoded. Lines about turns always are. */
  wants?(type: string, kind: string | undefined): boolean;
}

/** Reads turns of a thread from its last line on. `back` yields its lines from the last to the first. */
export async function turnsBack(back: AsyncIterable<PlacedLine>, options: TurnsBackOptions): Promise<TurnsBack> {
  const { decode, mostBytes, isEnough, wants = () => true } = options;
  const state: BackState = { lines: [], turns: 0, inputs: 0, taken: options.taken, open: new Set() };
  let place: string | undefined;
  let bytes = 0;
  let isCut = false;
  for await (const stored of back) {
    const head = lineHead(stored.bytes, 0, stored.bytes.length);
    if (place !== undefined) {
      // A place is of use only if a turn comes before it.
      if (head && !TURN_LINES.has(head.type)) continue;
      return { lines: state.lines.reverse(), before: { cursor: place, taken: state.taken }, isCut };
    }
    bytes += stored.bytes.length;
    const needed = !head || wants(head.type, head.kind) || isAboutInput(head.type, head.kind);
    const line = needed ? decode(stored.bytes, () => {}) : undefined;
    if (!line) continue;
    see(state, line);
    if (state.taken === 0 && isEnough(line, state.turns)) place = stored.cursor;
    else if (isTooMuch(bytes, mostBytes, line, state)) {
      place = stored.cursor;
      isCut = !beginsTurn(line);
      state.taken = Math.max(0, state.taken - state.inputs);
    }
  }
  return { lines: state.lines.reverse(), before: null, isCut: false };
}

const TURN_LINES: ReadonlySet<string> = new Set(['event_msg', 'response_item', 'compacted']);

function isAboutInput(type: string, kind: string | undefined): boolean {
  return type === 'event_msg' ? kind !== 'token_count' : type === 'response_item' && kind === 'message';
}

interface BackState {
  /** Lines so far, the last first. */
  readonly lines: LogLine[];
  /** Number of turns that were not rolled back. */
  turns: number;
  /** Number of inputs since the beginning of the turn after them. */
  inputs: number;
  /** Number of earlier inputs that were rolled back. */
  taken: number;
  /** Ids of calls whose output was read. */
  readonly open: Set<string>;
}

/** Reports whether a line is the first one of a turn. */
export function beginsTurn(line: LogLine): line is LogLine & { payload: { type: 'task_started'; turn_id: string } } {
  return line.type === 'event_msg' && line.payload.type === 'task_started';
}

function see(state: BackState, line: LogLine): void {
  state.lines.push(line);
  if (line.type === 'response_item') seeItem(state, line.payload);
  if (line.type === 'oxbow' && line.payload.kind === 'call.finished') state.open.add(line.payload.output.call_id);
  if (beginsTurn(line)) endTurns(state, 1);
  if (line.type !== 'event_msg' || line.payload.type !== 'thread_rolled_back') return;
  // Inputs outside turns, in logs of older programs.
  endTurns(state, state.inputs);
  state.taken += line.payload.num_turns;
}

function seeItem(state: BackState, item: Item): void {
  if (isFromUser(item)) state.inputs++;
  if (isCallOutput(item)) state.open.add(item.call_id);
  if (isCall(item)) state.open.delete(item.call_id);
}

/** Counts turns of which all lines were read, unless they were rolled back. */
function endTurns(state: BackState, count: number): void {
  if (state.taken === 0 || state.inputs > state.taken) state.turns += count;
  state.taken = Math.max(0, state.taken - state.inputs);
  state.inputs = 0;
}

/** Reports whether a long turn may be cut before this line. A call is not cut from its output. */
function isTooMuch(bytes: number, most: number, line: LogLine, { open, inputs }: BackState): boolean {
  if (bytes < most || open.size > 0) return false;
  // In logs of older programs, each input begins a turn.
  const isInput = line.type === 'response_item' && isFromUser(line.payload);
  return isInput || inputs === 0 || bytes > 2 * most;
}
