import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ScriptedExchange } from './deliver.ts';
import type { RecordedRequest, RequestBody } from './recorded-request.ts';

interface Received {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bytes: Buffer;
  readonly body: RequestBody;
  /** Reports whether the server itself is ending its connections. */
  isClosing(): boolean;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Makes the record of a request and updates it until the answer has ended. */
export function openExchange(received: Received): { record: RecordedRequest; exchange: ScriptedExchange } {
  const { request, response, bytes, body } = received;
  const gone = new AbortController();
  let broken = false;
  const record: Writable<RecordedRequest> = {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body,
    bytes,
    receivedAt: Date.now(),
    aborted: false,
    ended: new Promise<void>((resolve) => gone.signal.addEventListener('abort', () => resolve())),
  };

  const onClose = () => {
    if (response.writableFinished) record.answeredAt = Date.now();
    else record.aborted = !broken && !received.isClosing();
    gone.abort();
  };
  // The client may have left while its body was read.
  if (response.closed) onClose();
  else response.once('close', onClose);
  return {
    record,
    exchange: {
      response,
      gone: gone.signal,
      onBreak() {
        broken = true;
      },
    },
  };
}
