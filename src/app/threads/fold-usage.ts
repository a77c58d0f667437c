import { isFromUser, typedText } from '../../base/is-from-user.ts';
import type { Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { RequestRecord } from '../../base/log.ts';
import { metaOf, type RolloutMeta } from '../../log/rollout-meta.ts';
import type { UsageLine } from '../../log/usage-lines.ts';
import { createTurnTally, readCounts, type TurnTally, type TurnUsage } from './usage-tally.ts';

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

/** Returns a fold that adds up the usage of a thread, turn by turn, from its lines in order. */
export function foldUsage(): UsageFold {
  const account: FoldState = { origin: undefined, tallies: [], before: 0, lastTotal: '', rolledBack: false };
  const { tallies } = account;
  return {
    apply(line) {
      if (line.type === 'output') return applyOutput(account, line.ms);
      const { of, payload, time } = line;
      if (of === 'session_meta') account.origin ??= metaOf({ type: of, payload });
      if (of === 'turn_context') applyContext(account, payload, time);
      if (of === 'event_msg') applyEvent(account, payload, time);
      if (of === 'oxbow') applyOwn(account, payload, time);
      if (of === 'response_item') noteInput(current(account, time), said(payload));
      if (of === 'token_usage_record' && isOfThread(payload, account.origin)) applyRecord(account, payload, time);
    },
    turns: () =>
      tallies.flatMap((tally, index) =>
        isCopied(tally, account.origin) ? [] : [tally.result(account.before + index + 1)],
      ),
    get isCounted() {
      return !account.rolledBack && account.origin?.forked_from_ordinal_exclusive === undefined;
    },
  };
}

interface FoldState {
  /** First line of the thread. */
  origin: RolloutMeta | undefined;
  readonly tallies: TurnTally[];
  /** Number of turns before the first turn of the file. */
  before: number;
  /** Total tokens of the thread in Codex's last line about them. */
  lastTotal: string;
  rolledBack: boolean;
}

type Payload = Readonly<Record<string, unknown>>;

function begin({ tallies }: FoldState, id: string | null, time: string | null): TurnTally {
  const tally = createTurnTally(id, time);
  tallies.push(tally);
  return tally;
}

function current(account: FoldState, time: string | null): TurnTally {
  return account.tallies.at(-1) ?? begin(account, null, time);
}

/**
 * Adds the time of a call. A call that was lost with its process gets its output when the next turn begins, and counts
 * for the turn before.
 */
function applyOutput({ tallies }: FoldState, ms: number): void {
  const turn = tallies.at(-1)?.begun === false ? tallies.at(-2) : tallies.at(-1);
  if (turn) turn.toolMs += ms;
}

function applyContext(account: FoldState, payload: Payload, time: string | null): void {
  const id = text(payload.turn_id);
  const last = account.tallies.at(-1);
  // Older programs did not record the start of a turn.
  const isNext = !last || (last.begun && (id === null || id !== last.turnId));
  const turn = isNext ? begin(account, id, time) : last;
  turn.begun = true;
  turn.model = text(payload.model) ?? turn.model;
}

function applyEvent(account: FoldState, payload: Payload, time: string | null): void {
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
      applyCount(account, payload.info, time);
      return;
  }
}

/** Counts the tokens of a response. Codex repeats the line when another field of it changes. */
function applyCount(account: FoldState, info: unknown, time: string | null): void {
  if (!isRecord(info)) return;
  const total = JSON.stringify(info.total_token_usage);
  const usage = readCounts(info.last_token_usage);
  if (usage && total !== account.lastTotal) current(account, time).count('event', usage);
  account.lastTotal = total;
}

function applyRecord(account: FoldState, payload: Payload, time: string | null): void {
  const usage = readCounts(payload.usage);
  if (usage) current(account, time).count('record', usage);
}

function applyOwn(account: FoldState, payload: Payload, time: string | null): void {
  switch (payload.kind) {
    case 'request.started':
      current(account, time).startRequest(Number(payload.request), Number(payload.attempt));
      return;
    case 'request.ended':
      current(account, time).endRequest(Number(payload.request), payload as unknown as RequestRecord);
      return;
    case 'repair':
      current(account, time).repairs++;
      return;
    case 'turn.failed':
      current(account, time).status = 'failed';
      return;
    case 'checkpoint':
      if (account.tallies.length === 0) account.before = Math.max(0, Number(payload.turns) - 1);
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
  turn.input = [...words].slice(0, WORDS_CHARACTERS).join('');
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
function isCopied({ turnId, startedAt }: TurnTally, origin: RolloutMeta | undefined): boolean {
  if (typeof origin?.forked_from_id !== 'string') return false;
  // Both ids begin with a time. Programs that copy lines may change the time of a line.
  if (turnId !== null && UUID_7.test(turnId) && UUID_7.test(origin.id)) return turnId < origin.id;
  return startedAt !== null && startedAt < origin.timestamp;
}
