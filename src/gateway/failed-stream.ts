import type { Wire } from '../wire/wire.ts';
import type { ClientError } from './client-error.ts';
import type { Outgoing } from './client-io.ts';
import type { ExchangeRecord } from './exchange-record.ts';
import { createResponseId } from './response-id.ts';
import { streamHeaders } from './stream-answer.ts';

/**
 * Whether a client that waits for a stream hears of the error inside of one. Clients of the Responses wire make room for
 * a request that was too long when the response fails, and give up when it gets a status; without quota they stop when
 * the response says so, and try again at a status.
 */
export function isToldInStream(wire: Wire, { stream }: ExchangeRecord, error: ClientError): boolean {
  return stream && wire.name === 'responses' && IN_STREAM.has(error.code);
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
  {
    wire,
    model,
    createdAt,
    uuid,
  }: { readonly wire: Wire; readonly model: string; readonly createdAt: number; readonly uuid: string },
): void {
  const encoder = wire.encodeStream({ model, createdAt });
  const { code, message } = error;
  const frames = [
    ...encoder.push({ type: 'created', responseId: createResponseId(wire.name, uuid) }),
    ...encoder.push({ type: 'failed', code, message }),
  ];
  outgoing.head(200, streamHeaders(wire.framing));
  void outgoing.write(wire.framing.write(frames));
  outgoing.end();
}
