import { findWire } from '../wire/index.ts';
import type { ClientError } from './client-error.ts';
import type { Outgoing } from './client-io.ts';
import type { ExchangeRecord } from './exchange-record.ts';
import type { ExchangeWire } from './exchange-wire.ts';
import { createResponseId } from './response-id.ts';
import { sseText } from './sse-text.ts';
import { STREAM_HEADERS } from './stream-answer.ts';

/**
 * Whether a client that waits for a stream hears of the error inside of one. Clients of the Responses wire make room for
 * a request that was too long when the response fails, and give up when it gets a status; without quota they stop when
 * the response says so, and try again at a status.
 */
export function isToldInStream(wire: ExchangeWire, { stream }: ExchangeRecord, error: ClientError): boolean {
  return stream && wire === 'responses' && IN_STREAM.has(error.code);
}

const IN_STREAM: ReadonlySet<string | null> = new Set([
  'context_length_exceeded',
  'insufficient_quota',
  'usage_not_included',
]);

/** Answers with a stream that has nothing but the failure. */
export function sendFailedStream(
  outgoing: Outgoing,
  error: ClientError,
  { model, createdAt, uuid }: { readonly model: string; readonly createdAt: number; readonly uuid: string },
): void {
  const encoder = findWire('responses').encodeStream({ model, createdAt });
  const { code, message } = error;
  const frames = [
    ...encoder.push({ type: 'created', responseId: createResponseId('responses', uuid) }),
    ...encoder.push({ type: 'failed', code, message }),
  ];
  outgoing.head(200, STREAM_HEADERS);
  void outgoing.write(sseText(frames));
  outgoing.end();
}
