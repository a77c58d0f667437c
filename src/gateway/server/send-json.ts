import { type ClientError, plainErrorBody } from '../../wire/edge/client-error.ts';
import type { EdgeWire } from '../../wire/edge/edge-wire.ts';
import type { Outgoing } from './client-io.ts';

/** Answers with a value as JSON. */
export function sendJson(
  outgoing: Outgoing,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendText(outgoing, status, JSON.stringify(value), { 'content-type': 'application/json', ...headers });
}

export function sendText(
  outgoing: Outgoing,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): void {
  outgoing.head(status, { ...headers, 'content-length': String(Buffer.byteLength(text)) });
  void outgoing.write(text);
  outgoing.end();
}

/** Answers with an error, in the form of the client's wire. Without a wire, it has the form that most clients know. */
export function sendError(outgoing: Outgoing, error: ClientError, edge?: EdgeWire): void {
  const body = edge === undefined ? plainErrorBody(error) : edge.errorBody(error);
  sendJson(outgoing, error.status, body, error.headers);
}
