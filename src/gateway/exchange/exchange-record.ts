import type { Repair } from '../../base/repair.ts';
import type { Usage } from '../../base/usage.ts';
import type { WireName } from '../../base/wire.ts';
import type { World } from '../../base/world.ts';
import type { HttpResponse } from '../../model/http.ts';
import type { ClientError } from '../../wire/edge/client-error.ts';
import type { Outgoing } from '../server/client-io.ts';
import type { ExchangeReport } from './exchange-report.ts';
import { passedHeaders } from './passed-headers.ts';

/** Facts about an exchange, collected while it runs. */
export interface ExchangeRecord {
  readonly id: string;
  readonly repairs: Repair[];
  readonly adaptations: Set<string>;
  serverWire: WireName | null;
  provider: string | null;
  model: string | null;
  /** The name by which the client calls the model. */
  asked: string | null;
  stream: boolean;
  usage: Usage | null;
  /** Null until the client was answered. */
  status: number | null;
  firstByteAt: number | null;
  /** Headers of the server's last answer. */
  answerHeaders: HttpResponse['headers'] | undefined;
  error: string | null;
}

export function createExchangeRecord(id: string): ExchangeRecord {
  return {
    id,
    repairs: [],
    adaptations: new Set(),
    serverWire: null,
    provider: null,
    model: null,
    asked: null,
    stream: false,
    usage: null,
    status: null,
    firstByteAt: null,
    answerHeaders: undefined,
    error: null,
  };
}

/**
 * Returns the answer to a client, which also records its status and the time of its first byte. Its head has headers
 * of the server's answer, unless the gateway sets them itself.
 */
export function recorded(outgoing: Outgoing, record: ExchangeRecord, world: World): Outgoing {
  return {
    trailers: outgoing.trailers,
    head(status, headers) {
      record.status ??= status;
      record.firstByteAt ??= world.now();
      const { answerHeaders } = record;
      outgoing.head(status, answerHeaders === undefined ? headers : { ...passedHeaders(answerHeaders), ...headers });
    },
    write: (bytes) => outgoing.write(bytes),
    flush: () => outgoing.flush(),
    end: (trailers) => outgoing.end(trailers),
    abort: () => outgoing.abort(),
  };
}

export function noteError(record: ExchangeRecord, error: ClientError): void {
  record.error ??= error.code === null ? error.detail : `${error.code}: ${error.detail}`;
}

/** Returns the ids of the repairs, each once. */
export function repairIds({ repairs }: ExchangeRecord): string {
  return [...new Set(repairs.map(({ id }) => id))].join(',');
}

export function reportOf(
  record: ExchangeRecord,
  clientWire: WireName,
  { startedAt, now, left }: { readonly startedAt: number; readonly now: number; readonly left: boolean },
): ExchangeReport {
  const { id, serverWire, provider, model, stream, usage, firstByteAt, repairs, adaptations, error } = record;
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
    adaptations: [...adaptations],
    error,
  };
}
