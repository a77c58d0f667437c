import { isFromUser, typedText } from '../../base/is-from-user.ts';
import type { Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { RequestRecord } from '../../base/log.ts';
import { addUsage } from '../../base/usage.ts';
import { metaOf, type RolloutMeta } from '../../log/rollout-meta.ts';
import type { LineTime, UsageLine } from '../../log/usage-lines.ts';
import {
  addSampled,
  createTurnTally,
  endRequest,
  readCounts,
  resultOf,
  startRequest,
  type TurnTally,
  type TurnUsage,
} from './usage-tally.ts';

export interface UsageFold {
  apply(line: UsageLine): void;
  /** Returns the thread's own turns. Turns copied by a fork belong to the thread that ran them. */
  turns(): readonly TurnUsage[];
  /**
   * Whether the position of a turn among these lines is its number: no turn was rolled back, and no lines are in
   * another file.
   */
  readonly isCounted: boolean;
}

/**
 * Returns a fold that adds up the usage of a thread, turn by turn, from its lines in order. The requests of each turn are
 * kept if they are asked for.
 */
export function foldUsage({ keepRequests }: { readonly keepRequests: boolean }): UsageFold {
  const account: FoldState = {
    ...{ origin: undefined, done: [], previous: undefined, last: undefined, keepRequests },
    ...{ before: 0, lastTotal: '', rolledBack: false },
  };
  return {
    apply(line) {
      if (line.type === 'output') return applyOutput(account, line.ms);
      if (line.type === 'count') return applyCount(account, line, line.time);
      const { of, payload, time } = line;
      if (of === 'session_meta') account.origin ??= metaOf({ type: of, payload });
      if (of === 'turn_context') applyContext(account, payload, time);
      if (of === 'event_msg') applyEvent(account, payload, time);
      if (of === 'oxbow') applyOwn(account, payload, time);
      if (of === 'response_item') noteInput(current(account, time), said(payload));
      if (of === 'token_usage_record' && isOfThread(payload, account.origin)) applyRecord(account, payload, time);
    },
    turns() {
      finish(account);
      finish(account);
      return account.done.filter((turn) => !isCopied(turn, account.origin));
    },
    get isCounted() {
      return !account.rolledBack && account.origin?.forked_from_ordinal_exclusive === undefined;
    },
  };
}

interface FoldState {
  /** First line of the thread. */
  origin: RolloutMeta | undefined;
  /** Turns that no further line can change. */
  readonly done: TurnUsage[];
  /** The last two turns. */
  previous: TurnTally | undefined;
  last: TurnTally | undefined;
  readonly keepRequests: boolean;
  /** Number of turns before the first turn of the file. */
  before: number;
  /** Total tokens of the thread in Codex's last line about them. */
  lastTotal: string;
  rolledBack: boolean;
}

type Payload = Readonly<Record<string, unknown>>;

function begin(account: FoldState, id: string | null, time: LineTime): TurnTally {
  finish(account);
  account.last = createTurnTally(id, time(), account.keepRequests);
  return account.last;
}

/** Ends the turn before the last one. */
function finish(account: FoldState): void {
  const { previous, done, before } = account;
  if (previous) done.push(resultOf(previous, before + done.length + 1));
  account.previous = account.last;
  account.last = undefined;
}

function current(account: FoldState, time: LineTime): TurnTally {
  return account.last ?? begin(account, null, time);
}

/**
 * Adds the time of a call. A call that was lost with its process gets its output when the next turn begins, and counts
 * for the turn before.
 */
function applyOutput({ previous, last }: FoldState, ms: number): void {
  const turn = last?.begun === false ? previous : last;
  if (turn) turn.toolMs += ms;
}

function applyContext(account: FoldState, payload: Payload, time: LineTime): void {
  const id = text(payload.turn_id);
  const { last } = account;
  // Older programs did not record the start of a turn.
  const isNext = !last || (last.begun && (id === null || id !== last.turnId));
  const turn = isNext ? begin(account, id, time) : last;
  turn.begun = true;
  turn.model = text(payload.model) ?? turn.model;
}

function applyEvent(account: FoldState, payload: Payload, time: LineTime): void {
  switch (payload.type) {
    case 'task_started':
      begin(account, text(payload.turn_id), time);
      return;
    case 'task_complete':
      current(account, time).status = 'completed';
      return;
    case 'turn_aborted':
      current(account, time).status = 'aborted';
      return;
    case 'thread_rolled_back':
      account.rolledBack = true;
      return;
    case 'user_message':
      noteInput(current(account, time), text(payload.message) ?? '');
      return;
    case 'token_count':
      if (isRecord(payload.info)) applyCount(account, countOf(payload.info), time);
      return;
  }
}

interface TokenCount {
  /** Tokens of the thread so far, as JSON text. */
  readonly total: string;
  /** Returns the tokens of the response. */
  readonly last: () => unknown;
}

function countOf(info: Payload): TokenCount {
  return { total: JSON.stringify(info.total_token_usage), last: () => info.last_token_usage };
}

/** Counts the tokens of a response. Codex repeats the line when another field of it changes. */
function applyCount(account: FoldState, { total, last }: TokenCount, time: LineTime): void {
  if (total !== account.lastTotal) current(account, time).events.push(last);
  account.lastTotal = total;
}

function applyRecord(account: FoldState, payload: Payload, time: LineTime): void {
  const usage = readCounts(payload.usage);
  if (!usage) return;
  const turn = current(account, time);
  turn.byRecord = addUsage(turn.byRecord, usage);
}

function applyOwn(account: FoldState, payload: Payload, time: LineTime): void {
  switch (payload.kind) {
    case 'request.started':
      startRequest(current(account, time), Number(payload.request), Number(payload.attempt));
      return;
    case 'request.ended':
      endRequest(current(account, time), Number(payload.request), payload as unknown as RequestRecord);
      return;
    case 'call.sampled':
      addSampled(current(account, time), payload as unknown as RequestRecord);
      return;
    case 'repair':
      current(account, time).repairs++;
      return;
    case 'turn.failed':
      current(account, time).status = 'failed';
      return;
    case 'turn.suspended':
      current(account, time).status = 'suspended';
      return;
    case 'checkpoint':
      if (!account.last) account.before = Math.max(0, Number(payload.turns) - 1);
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

const WORDS_CHARACTERS = 200;

function noteInput(turn: TurnTally, inputOf: string): void {
  if (turn.input !== '') return;
  const words = inputOf
    .slice(0, 4 * WORDS_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim();
  turn.input = words.length <= WORDS_CHARACTERS ? words : [...words].slice(0, WORDS_CHARACTERS).join('');
}

/** Returns the text that the user typed. Empty for messages that an agent wrote in the user's name. */
function said(payload: Payload): string {
  if (!Array.isArray(payload.content) || !payload.content.every(isRecord)) return '';
  const item = payload as unknown as Item;
  return isFromUser(item) ? typedText(item) : '';
}

function isOfThread({ thread_id }: Payload, origin: RolloutMeta | undefined): boolean {
  return origin === undefined || thread_id === undefined || thread_id === origin.id;
}

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/** Reports whether a turn was copied from the thread that this one was forked from: it began before this thread did. */
function isCopied({ turnId, startedAt }: TurnUsage, origin: RolloutMeta | undefined): boolean {
  if (typeof origin?.forked_from_id !== 'string') return false;
  // Both ids begin with a time. Programs that copy lines may change the time of a line.
  if (turnId !== null && UUID_7.test(turnId) && UUID_7.test(origin.id)) return turnId < origin.id;
  return startedAt !== null && startedAt < origin.timestamp;
}
