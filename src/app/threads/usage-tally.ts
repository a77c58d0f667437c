import { isRecord } from '../../base/json-schema.ts';
import { addLedgers, EMPTY_LEDGER, type Ledger } from '../../base/ledger.ts';
import type { RequestRecord } from '../../base/log.ts';
import { addUsage, NO_USAGE, type Usage } from '../../base/usage.ts';

/** Tokens, cost and time of one turn, from the log of its thread. */
export interface TurnUsage {
  /** Number of the turn in its thread, from 1. Null for a turn that was rolled back. */
  readonly turn: number | null;
  readonly turnId: string | null;
  /** `open`: the turn still runs, or its process died. */
  readonly status: 'completed' | 'failed' | 'aborted' | 'suspended' | 'open';
  /** Start of the turn as ISO text. */
  readonly startedAt: string | null;
  /** First words of the user's input. */
  readonly input: string;
  readonly model: string | null;
  readonly ledger: Ledger;
  /** Known part of the cost. The ledger's cost is null unless all of it is known. */
  readonly knownCost: number;
  /** False when another program or an older version wrote the turn. The ledger then only has tokens. */
  readonly complete: boolean;
  /** Empty if only the turns were asked for. */
  readonly requests: readonly RequestUsage[];
}

/** Tokens, cost and time of one request. */
export interface RequestUsage {
  /** Number of the request in the file. */
  readonly request: number;
  readonly model: string | null;
  /** Reason of the failure. `open` when the end of the request is not recorded. */
  readonly error: string | null;
  /** Null when the server did not report it. */
  readonly usage: Usage | null;
  readonly cost: number | null;
  /** Number of times the request was sent again. A repeat of a request whose response broke counts one more. */
  readonly retries: number;
  readonly repairs: number;
  readonly ms: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** Sums of one turn while its lines are read. A thread may have many thousands. */
export interface TurnTally {
  readonly turnId: string | null;
  readonly startedAt: string | null;
  status: TurnUsage['status'];
  input: string;
  model: string | null;
  toolMs: number;
  repairs: number;
  /** Whether the `turn_context` line was read. Lines before it belong to the turn before. */
  begun: boolean;
  /** Sum over the requests that ended. */
  sum: Ledger;
  knownCost: number;
  /** Requests that ended, or null if they are not asked for. */
  readonly requests: RequestUsage[] | null;
  open: { readonly request: number; readonly attempt: number } | null;
  /** Tokens as Codex writes them, in one of two lines. Both lines may be about the same response. */
  byRecord: Usage;
  /** Functions that return the tokens of a response, as they are written. */
  readonly events: (() => unknown)[];
  /** Whether Oxbow ran the turn. */
  isOwn: boolean;
  /** Whether every request has a record of its usage. */
  complete: boolean;
}

export function createTurnTally(turnId: string | null, startedAt: string | null, keepRequests: boolean): TurnTally {
  return {
    ...{ turnId, startedAt, status: 'open', input: '', model: null, toolMs: 0, repairs: 0, begun: false },
    ...{ sum: EMPTY_LEDGER, knownCost: 0, requests: keepRequests ? [] : null, open: null },
    ...{ byRecord: NO_USAGE, events: [], isOwn: false, complete: true },
  };
}

export function startRequest(tally: TurnTally, request: number, attempt: number): void {
  close(tally, UNKNOWN_END);
  tally.isOwn = true;
  tally.open = { request, attempt };
}

export function endRequest(tally: TurnTally, request: number, record: RequestRecord): void {
  tally.isOwn = true;
  if (record.usage === undefined) tally.complete = false;
  tally.open ??= { request, attempt: 0 };
  close(tally, record);
}

/** Adds the costs of a message for an MCP server. Such a message is not a request of the turn, and its line may stand between those of one. */
export function addSampled(tally: TurnTally, record: RequestRecord): void {
  const sampled = requestUsage(0, 0, record);
  tally.sum = addLedgers(tally.sum, ledgerOf(sampled));
  tally.knownCost += sampled.cost ?? 0;
}

function close(tally: TurnTally, record: RequestRecord): void {
  if (!tally.open) return;
  const request = requestUsage(tally.open.request, tally.open.attempt, record);
  tally.requests?.push(request);
  tally.sum = addLedgers(tally.sum, ledgerOf(request));
  tally.knownCost += request.cost ?? 0;
  tally.open = null;
}

/** Returns the sums of a turn after its last line. */
export function resultOf(tally: TurnTally, turn: number): TurnUsage {
  close(tally, UNKNOWN_END);
  const { turnId, status, startedAt, input, model, toolMs, repairs, sum, knownCost, isOwn, byRecord } = tally;
  const complete = isOwn && tally.complete;
  const usage = complete ? sum.usage : byRecord === NO_USAGE ? eventsUsage(tally) : byRecord;
  const cost = complete || (!isOwn && usage === NO_USAGE) ? sum.cost : null;
  return {
    ...{ turn, turnId, status, startedAt, input, model },
    ledger: { ...sum, repairs, toolMs, usage, cost },
    ...{ knownCost, complete, requests: tally.requests ?? NO_REQUESTS },
  };
}

function eventsUsage({ events }: TurnTally): Usage {
  return events.reduce<Usage>((sum, counts) => {
    const usage = readCounts(counts());
    return usage ? addUsage(sum, usage) : sum;
  }, NO_USAGE);
}

const NO_REQUESTS: readonly RequestUsage[] = [];
const UNKNOWN_END: RequestRecord = { ms: 0, error: 'open', usage: null, cost: null };

function requestUsage(request: number, attempt: number, record: RequestRecord): RequestUsage {
  return {
    request,
    model: record.model ?? null,
    error: record.error ?? null,
    usage: readCounts(record.usage),
    cost: typeof record.cost === 'number' ? record.cost : null,
    retries: numberOr0(record.retries) + (attempt > 0 ? 1 : 0),
    repairs: numberOr0(record.repairs),
    ms: numberOr0(record.ms),
    sentBytes: numberOr0(record.sent_bytes),
    receivedBytes: numberOr0(record.received_bytes),
  };
}

/** Returns 0 for a value that is not a number: the lines come from a file, and a broken value must not break the sums. */
function numberOr0(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function ledgerOf({ usage, cost, retries, ms, sentBytes, receivedBytes }: RequestUsage): Ledger {
  return {
    ...EMPTY_LEDGER,
    requests: 1,
    usage: usage ?? NO_USAGE,
    cost,
    retries,
    modelMs: ms,
    sentBytes,
    receivedBytes,
  };
}

/** Reads the tokens of a line. Returns null when they are missing. A count that an older program left out is zero. */
export function readCounts(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const count = (key: string) => numberOr0(value[key]);
  return {
    inputTokens: count('input_tokens'),
    cachedInputTokens: count('cached_input_tokens'),
    cacheWriteInputTokens: count('cache_write_input_tokens'),
    outputTokens: count('output_tokens'),
    reasoningOutputTokens: count('reasoning_output_tokens'),
    totalTokens: count('total_tokens'),
  };
}
