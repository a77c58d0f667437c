import { ModelError } from '../../base/errors.ts';
import type { RequestLedger } from '../../base/ledger.ts';
import { NO_USAGE } from '../../base/usage.ts';
import { toTokenCounts } from '../state/token-counts.ts';
import type { Turn } from '../turn-setup.ts';

export interface EndedRequest {
  readonly request: number;
  /** Above 0: it was made because the response to the one before broke. */
  readonly attempt: number;
  /** As the world's clock has it. */
  readonly startedAt: number;
  /** What was thrown; undefined: nothing. */
  readonly error?: unknown;
}

/** Books what a request took: in its line, in the turn's ledger, against the limits, and for whoever watches. */
export async function recordRequestEnd(turn: Turn, ended: EndedRequest): Promise<void> {
  const { request, attempt } = ended;
  const took = takenBy(turn, ended);
  const { usage, cost, retries, sentBytes, receivedBytes } = took;
  turn.ledger.add({
    requests: 1,
    retries: retries + (attempt > 0 ? 1 : 0),
    modelMs: took.ms,
    cost,
    sentBytes,
    receivedBytes,
    ...(usage ? { usage } : {}),
  });
  const counted = turn.limits.afterResponse(isAnswered(took, ended.error) ? took : NOTHING_TAKEN);
  await turn.note({
    type: 'oxbow',
    payload: {
      kind: 'request.ended',
      request,
      ms: took.ms,
      ...(took.error === null ? {} : { error: took.error }),
      model: took.model,
      usage: usage && toTokenCounts(usage),
      cost,
      ...(cost === null && counted !== null ? { counted_cost: counted } : {}),
      retries,
      repairs: took.repairs,
      sent_bytes: sentBytes,
      received_bytes: receivedBytes,
    },
  });
  turn.emit({ type: 'request.ended', request, ...took });
}

const NOTHING_TAKEN = { usage: NO_USAGE, cost: 0, sentBytes: 0, receivedBytes: 0 };

function takenBy({ thread, setup, ledger }: Turn, { startedAt, error }: EndedRequest): RequestLedger {
  const { meter, usage, repairs } = ledger.request;
  const took = {
    ms: Math.max(0, thread.world.now() - startedAt),
    error: error === undefined ? null : error instanceof ModelError ? error.code : 'internal',
    model: setup.request.model,
    usage,
    ...meter,
    repairs,
  };
  // What was refused is not charged for; of a response that broke off nobody said what it was.
  const charged = usage ?? (isAnswered(took, error) ? null : NO_USAGE);
  return { ...took, cost: charged && setup.price(charged) };
}

/** Whether anything of a response came. */
function isAnswered({ usage, receivedBytes }: Pick<RequestLedger, 'usage' | 'receivedBytes'>, error: unknown): boolean {
  if (usage) return true;
  return receivedBytes > 0 && !(error instanceof ModelError && error.status !== undefined);
}
