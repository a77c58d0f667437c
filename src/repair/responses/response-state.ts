import type { Fields } from '../../wire/fields/request-fields.ts';
import { callId, itemId, type OwnType } from '../../wire/lowering/own-ids.ts';
import type { RepairContext } from '../context.ts';
import { MAX_CALLS } from '../limits.ts';
import { RepairReporter } from '../report.ts';
import type { CallSegment } from '../text/segment.ts';
import { TextAmount } from '../text-amount.ts';
import { RepairedCallIds } from './call-ids.ts';
import type { EventFrame } from './event-frame.ts';
import type { OpenItem } from './open-item.ts';
import { OpenItems } from './open-items.ts';
import { EventOutput } from './output.ts';
import type { TextPart } from './text-part.ts';

/** State of a response that is being repaired. */
export interface ResponsesRepairState {
  readonly context: RepairContext;
  readonly reporter: RepairReporter;
  readonly output: EventOutput;
  readonly items: OpenItems;
  readonly callIds: RepairedCallIds;
  /** Completed items, in the order in which they went out. */
  readonly completed: CompletedItem[];
  /** Calls in texts. They go out at the end, if there are no others. */
  readonly found: CallSegment[];
  /** Calls in reasoning. They count only if the response has nothing else. */
  readonly foundInReasoning: CallSegment[];
  /** Treats an event as if the server had sent it. */
  readonly feed: (event: Fields) => void;
  /** Events that were fed. */
  readonly fed: WeakSet<Fields>;
  id: string | undefined;
  /** Response as it was announced. */
  announced: Fields;
  /** Number of calls that have begun. */
  calls: number;
  readonly text: TextAmount;
  /** Whether items were changed, added or left out, so that the list at the end is written anew. */
  changed: boolean;
  /** `failed`: a failure was reported. `given up`: a limit was reached, and nothing more goes out. */
  state: 'open' | 'failed' | 'finished' | 'given up';
  /** Text that the last event continued, if the event needed no repair. */
  running: RunningText | undefined;
  /** Calls in reasoning that are undecided. All events after them wait. */
  undecided: UndecidedCalls | undefined;
  reasoningCalls: 'count' | 'are text' | undefined;
  /** Whether the server reported the response as complete. */
  completing: boolean;
  /** Whether the response broke off or reached a limit, so that open calls in texts do not count. */
  cutOff: boolean;
  /** Whether a closing think tag came. */
  closedThinking: boolean;
  /** Set after a damaged frame. */
  damage: Damage | undefined;
  /** Protocol of the events so far. */
  spoken: 'nothing' | 'responses' | 'something else';
  /** The sentence about another protocol that the server spoke, if it did. */
  foreign: string | undefined;
  /** Ids of calls that were announced again after their end. Their pieces are dropped; only their end counts. */
  readonly announcedAgain: Set<unknown>;
  /** Error without an event type. */
  bareError: Fields | undefined;
}

/** Effect of a damaged frame on the response. */
export interface Damage {
  /** Items that were open at the time. A piece of them may be missing. */
  readonly items: Set<OpenItem>;
  /**
   * Whether the frame may have held more than a piece of an item, so that only a list of all items shows what is
   * missing.
   */
  needsList: boolean;
  /** Whether the frame held only the end of the response, as if the connection had ended before. */
  isEnd: boolean;
  /** Whether content is missing that no other event brought. */
  isLost: boolean;
}

export interface RunningText {
  readonly part: TextPart;
  /** Ids and indexes as the event has them. */
  readonly itemId: unknown;
  readonly outputIndex: unknown;
  readonly contentIndex: unknown;
}

export interface CompletedItem {
  /** Index from the server. */
  readonly index?: unknown;
  /** Item as it came. */
  readonly came: Fields;
  /** Item as it went out; undefined if it did not. */
  readonly went: Fields | undefined;
  /** Calls that the message was made of, if it did not go out. */
  readonly blocks?: readonly CallSegment[];
}

export interface UndecidedCalls {
  readonly part: TextPart;
  readonly waiting: EventFrame[];
}

/** Reader of one event. */
export type RepairStep = (frame: EventFrame, response: ResponsesRepairState) => void;

export function openResponse(context: RepairContext, feed: (event: Fields) => void): ResponsesRepairState {
  const response: ResponsesRepairState = {
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
    text: new TextAmount((found) =>
      giveUp(`The server sent ${found}. The response was given up. Ask for a shorter answer.`, response),
    ),
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
    foreign: undefined,
    announcedAgain: new Set(),
    bareError: undefined,
  };
  return response;
}

/** Returns an id for an item that is made up. */
export function madeItemId(type: OwnType, index: number, response: ResponsesRepairState): string {
  return itemId(type, response.id ?? '', index);
}

/** Returns a free id for a call. */
export function madeCallId(name: string, response: ResponsesRepairState): string {
  return response.callIds.mint((n) => callId(response.id ?? '', n, name));
}

/** Counts a call. Returns false if there are too many; then the response is given up. */
export function countCall(response: ResponsesRepairState): boolean {
  response.calls++;
  if (response.calls > MAX_CALLS) giveUp(`The response has more than ${MAX_CALLS} calls.`, response);
  return response.state !== 'given up';
}

/** Passes an event that needs no repair. Its text counts like any other. */
export function passUnknown(frame: EventFrame, response: ResponsesRepairState): void {
  const { delta } = frame.json;
  if (response.text.add(typeof delta === 'string' ? delta : '')) response.output.pass(frame);
}

/** Ends the response as broken. Nothing goes out after it. */
export function giveUp(message: string, response: ResponsesRepairState, code = 'invalid_response'): void {
  if (response.state === 'given up') return;
  response.state = 'given up';
  fail({ code, message }, response);
  response.output.close();
}

/** Emits the event of a broken response. */
export function fail(error: { readonly code: string; readonly message: string }, response: ResponsesRepairState): void {
  const { announced, id, output } = response;
  const body = { ...announced, ...(id !== undefined && { id }), object: 'response', status: 'failed', error };
  output.make('response.failed', { response: body });
}
