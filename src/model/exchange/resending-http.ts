import type { HttpResponse, HttpSender, SendOptions } from '../http.ts';
import { putBack } from './put-back.ts';

type Body = SendOptions['body'];

export interface ResendingOptions {
  /** Whether a body in one piece was requested, so that its type is not a reason to refuse the answer. */
  readonly whole?: boolean;
  /** Called when the server refused the request. Returns the request to send instead, if there is a better one. */
  readonly onRefusal: (status: number, refusal: string) => Promise<Body | undefined> | Body | undefined;
  readonly onAnswer: () => void;
  /** Called with undefined before each request, and with the headers of its answer. */
  readonly onHeaders?: ((headers: HttpResponse['headers'] | undefined) => void) | undefined;
}

/** Returns a client for one request, which may be sent in another form after a refusal. */
export function resendingHttp(
  http: HttpSender,
  { whole = false, onRefusal, onAnswer, onHeaders }: ResendingOptions,
): HttpSender {
  let better: Body | undefined;
  let left = MAX_LESSONS;
  return {
    async send(url, options) {
      for (;;) {
        onHeaders?.(undefined);
        const response = await http.send(url, better === undefined ? options : { ...options, body: better });
        onHeaders?.(response.headers);
        if (response.status < 400) {
          onAnswer();
          return whole ? withoutJsonType(response) : response;
        }
        const refusal = await readRefusal(response, Math.min(options.idleTimeoutMs, MAX_WAIT_MS));
        const next = left-- > 0 ? await onRefusal(response.status, refusal.text) : undefined;
        if (next === undefined) return refusal.response;
        response.release();
        better = next;
        if (options.meter) options.meter.retries++;
      }
    },
  };
}

const MAX_LESSONS = 4;
const MAX_WAIT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/** Reads the text of a refusal. The returned response can be read again from its beginning. */
async function readRefusal(
  response: HttpResponse,
  idleTimeoutMs: number,
): Promise<{ readonly text: string; readonly response: HttpResponse }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  while (!ended && size < MAX_BYTES) {
    const chunk = await response.read(idleTimeoutMs).catch(() => null);
    ended = chunk === null;
    if (chunk !== null) chunks.push(chunk);
    size += chunk?.byteLength ?? 0;
  }
  return { text: Buffer.concat(chunks).toString(), response: putBack(response, chunks, ended) };
}

function withoutJsonType(response: HttpResponse): HttpResponse {
  const { 'content-type': type, ...headers } = response.headers;
  if (!type?.startsWith('application/json')) return response;
  return {
    status: response.status,
    headers,
    read: (idleTimeoutMs) => response.read(idleTimeoutMs),
    release: () => response.release(),
    close: () => response.close(),
  };
}
