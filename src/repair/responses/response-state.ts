import type { Fields } from '../../wire/fields/request-fields.ts';
import { callId, itemId, type OwnType } from '../../wire/lowering/own-ids.ts';
import type { RepairContext } from '../context.ts';
import { MAX_CALLS } from '../limits.ts';
import { RepairReporter } from '../report.ts';
import type { CallSegment } from '../text/segment.ts';
import { RepairedCallIds } from './call-ids.ts';
import type { EventFrame } from './event-frame.ts';
import type { OpenItem } from './open-item.ts';
import { OpenItems } from './open-items.ts';
import { EventOutput } from './output.ts';
import type { TextPart } from './text-part.ts';

/** A response that is being repaired: what is known of it so far. */
export interface ResponsesRepairState {
  readonly context: RepairContext;
  readonly reporter: RepairReporter;
  readonly output: EventOutput;
  readonly items: OpenItems;
  readonly callIds: RepairedCallIds;
  /** The items that were completed, in the order in which they went out. */
  readonly completed: CompletedItem[];
  /** Calls found in texts. They go out at the end, if there are no others. */
  readonly found: CallSegment[];
  /** Those found in reasoning count only if there is nothing else at all. */
  readonly foundInReasoning: CallSegment[];
  /** Treats an event as if the server had sent it. */
  readonly feed: (event: Fields) => void;
  /** The events that were fed. */
  readonly fed: WeakSet<Fields>;
  id: string | undefined;
  /** The response as it was announced. */
  announced: Fields;
  /** How many calls were begun. */
  calls: number;
  /** Items were changed, added or left out: the list of them at the end is written anew. */
  changed: boolean;
  /** `failed`: a failure was reported. `given up`: a limit was reached, nothing more goes out. */
  state: 'open' | 'failed' | 'finished' | 'given up';
  /** The text that the last event went on with, if nothing else was of note. */
  running: RunningText | undefined;
  /** Calls in reasoning: it is not clear yet whether they count, and everything behind them waits. */
  undecided: UndecidedCalls | undefined;
  reasoningCalls: 'count' | 'are text' | undefined;
  /** The response said that it is complete. */
  completing: boolean;
  /** The response broke off or reached a limit: calls in texts that are still open do not count. */
  cutOff: boolean;
  /** A closing think tag came. */
  closedThinking: boolean;
  /** A frame could not be read. */
  damage: Damage | undefined;
  /** What came so far is of this protocol, or of another one. */
  spoken: 'nothing' | 'responses' | 'chat' | 'something else';
  /** The ids of calls that were announced again after their end: what comes of them waits for their end. */
  readonly announcedAgain: Set<unknown>;
  /** An error that did not say that it is one. */
  bareError: Fields | undefined;
}

/** What a frame that cannot be read did to the response. */
export interface Damage {
  /** The items that were open then: what came of them in pieces may lack one. */
  readonly items: Set<OpenItem>;
  /** The frame may have been more than a piece of an item: only a list of all items tells whether one is missing. */
  needsList: boolean;
  /** Nothing but the end of the response was in it: as if the connection had ended before. */
  isEnd: boolean;
  /** Something is missing that nothing else brought. */
  isLost: boolean;
}

export interface RunningText {
  readonly part: TextPart;
  /** As the event named its place. */
  readonly itemId: unknown;
  readonly outputIndex: unknown;
  readonly contentIndex: unknown;
}

export interface CompletedItem {
  /** The number that the server gave it. */
  readonly index?: unknown;
  /** As the server sent it. */
  readonly came: Fields;
  /** As it went out; undefined if it did not. */
  readonly went: Fields | undefined;
}

export interface UndecidedCalls {
  readonly part: TextPart;
  readonly waiting: EventFrame[];
}

/** What is done with an event. */
export type RepairStep = (frame: EventFrame, response: ResponsesRepairState) => void;

export function openResponse(context: RepairContext, feed: (event: Fields) => void): ResponsesRepairState {
  return {
    context,
    reporter: new RepairReporter(context.onRepair),
    output: new EventOutput(),
    items: new OpenItems(),
    callIds: new RepairedCallIds(context.isTaken),
    completed: [],
    found: [],
    foundInReasoning: [],
    feed,
    fed: new WeakSet(),
    id: undefined,
    announced: {},
    calls: 0,
    changed: false,
    state: 'open',
    running: undefined,
    undecided: undefined,
    reasoningCalls: undefined,
    completing: false,
    cutOff: false,
    closedThinking: false,
    damage: undefined,
    spoken: 'nothing',
    announcedAgain: new Set(),
    bareError: undefined,
  };
}

/** An id for an item that is made up. */
export function madeItemId(type: OwnType, index: number, response: ResponsesRepairState): string {
  return itemId(type, response.id ?? '', index);
}

/** An id for a call that nobody has. */
export function madeCallId(name: string, response: ResponsesRepairState): string {
  return response.callIds.mint((n) => callId(response.id ?? '', n, name));
}

/** One more call. False if there are too many: the response is given up then. */
export function countCall(response: ResponsesRepairState): boolean {
  response.calls++;
  if (response.calls > MAX_CALLS) giveUp(`The response has more than ${MAX_CALLS} calls.`, response);
  return response.state !== 'given up';
}

/** Ends the response as broken. Nothing that comes after goes out. */
export function giveUp(message: string, response: ResponsesRepairState, code = 'invalid_response'): void {
  if (response.state === 'given up') return;
  response.state = 'given up';
  fail({ code, message }, response);
  response.output.close();
}

/** Says that the response is broken. */
export function fail(error: { readonly code: string; readonly message: string }, response: ResponsesRepairState): void {
  const { announced, id, output } = response;
  const body = { ...announced, ...(id !== undefined && { id }), object: 'response', status: 'failed', error };
  output.make('response.failed', { response: body });
}
