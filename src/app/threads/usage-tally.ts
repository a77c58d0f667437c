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
  readonly status: 'completed' | 'failed' | 'aborted' | 'open';
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

/** Sums of one turn while its lines are read. */
export interface TurnTally {
  turnId: string | null;
  status: TurnUsage['status'];
  startedAt: string | null;
  input: string;
  model: string | null;
  toolMs: number;
  repairs: number;
  /** Whether the `turn_context` line was read. Lines before it belong to the turn before. */
  begun: boolean;
  startRequest(request: number, attempt: number): void;
  endRequest(request: number, record: RequestRecord): void;
  /**
   * Adds the tokens of a response as Codex writes them, in one of two lines. Both lines may be about the same response.
   */
  count(by: 'record' | 'event', usage: Usage): void;
  result(turn: number): TurnUsage;
}

export function createTurnTally(turnId: string | null, startedAt: string | null): TurnTally {
  const requests: RequestUsage[] = [];
  const counted = { record: NO_USAGE, event: NO_USAGE };
  let open: { readonly request: number; readonly attempt: number } | null = null;
  let isOwn = false;
  let complete = true;

  const close = (record: RequestRecord) => {
    if (open) requests.push(requestUsage(open.request, open.attempt, record));
    open = null;
  };
  const tally: TurnTally = {
    turnId,
    status: 'open',
    startedAt,
    input: '',
    model: null,
    toolMs: 0,
    repairs: 0,
    begun: false,
    startRequest(request, attempt) {
      close(UNKNOWN_END);
      isOwn = true;
      open = { request, attempt };
    },
    endRequest(request, record) {
      isOwn = true;
      if (record.usage === undefined) complete = false;
      open ??= { request, attempt: 0 };
      close(record);
    },
    count(by, usage) {
      counted[by] = addUsage(counted[by], usage);
    },
    result(turn) {
      close(UNKNOWN_END);
      const { turnId, status, startedAt, input, model, toolMs, repairs } = tally;
      const sum = requests.map(ledgerOf).reduce(addLedgers, EMPTY_LEDGER);
      const known = isOwn && complete;
      const tokens = known ? sum.usage : counted.record === NO_USAGE ? counted.event : counted.record;
      const cost = known || (!isOwn && tokens === NO_USAGE) ? sum.cost : null;
      return {
        ...{ turn, turnId, status, startedAt, input, model },
        ledger: { ...sum, repairs, toolMs, usage: tokens, cost },
        knownCost: requests.reduce((dollars, request) => dollars + (request.cost ?? 0), 0),
        complete: known,
        requests,
      };
    },
  };
  return tally;
}

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
