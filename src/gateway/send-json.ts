import type { ClientError } from './client-error.ts';
import type { Outgoing } from './client-io.ts';

/** Answers with a value. */
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

/** Answers with an error, in the shape that clients of both wires know. */
export function sendError(outgoing: Outgoing, error: ClientError): void {
  sendJson(outgoing, error.status, error.body, error.headers);
}
