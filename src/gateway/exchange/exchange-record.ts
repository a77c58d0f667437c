import type { Repair } from '../../base/repair.ts';
import type { Usage } from '../../base/usage.ts';
import type { WireName } from '../../base/wire.ts';
import type { HttpResponse } from '../../model/http.ts';
import type { ClientError } from '../../wire/edge/client-error.ts';
import type { BegunCalls, ExchangeReport } from './exchange-report.ts';

/** Facts about an exchange, collected while it runs. */
export interface ExchangeRecord {
  readonly id: string;
  readonly repairs: Repair[];
  readonly calls: BegunCalls[];
  readonly adaptations: Set<string>;
  serverWire: WireName | null;
  provider: string | null;
  model: string | null;
  /** The name by which the client calls the model. */
  asked: string | null;
  stream: boolean;
  usage: Usage | null;
  /** Null until the head of the answer was sent. */
  status: number | null;
  /** Whether a part of a stream was sent, so that a failure can no longer be the whole answer. */
  spoke: boolean;
  firstByteAt: number | null;
  /** Headers of the server's last answer. */
  answerHeaders: HttpResponse['headers'] | undefined;
  error: string | null;
}

export function createExchangeRecord(id: string): ExchangeRecord {
  return {
    id,
    repairs: [],
    calls: [],
    adaptations: new Set(),
    serverWire: null,
    provider: null,
    model: null,
    asked: null,
    stream: false,
    usage: null,
    status: null,
    spoke: false,
    firstByteAt: null,
    answerHeaders: undefined,
    error: null,
  };
}

export function noteError(record: ExchangeRecord, error: ClientError): void {
  record.error ??= error.code === null ? error.detail : `${error.code}: ${error.detail}`;
}

/** Header or trailer with the ids of the repairs. */
export const REPAIRS = 'x-oxbow-repairs';

/** Returns the ids of the repairs, each once. */
export function repairIds({ repairs }: ExchangeRecord): string {
  return [...new Set(repairs.map(({ id }) => id))].join(',');
}

export function reportOf(
  record: ExchangeRecord,
  clientWire: WireName,
  { startedAt, now, left }: { readonly startedAt: number; readonly now: number; readonly left: boolean },
): ExchangeReport {
  const { id, serverWire, provider, model, stream, usage, firstByteAt, repairs, calls, adaptations, error } = record;
  return {
    id,
    clientWire,
    serverWire,
    provider,
    model,
    stream,
    status: left ? 499 : (record.status ?? 500),
    ms: now - startedAt,
    firstByteMs: firstByteAt === null ? null : firstByteAt - startedAt,
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    repairs: repairs.map(({ before: _, after: __, ...repair }) => repair),
    calls,
    adaptations: [...adaptations],
    error,
  };
}
