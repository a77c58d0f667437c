import type { IncomingMessage, ServerResponse } from 'node:http';
import { untilDrained } from '../../base/until-drained.ts';
import type { Exchange } from '../create-server.ts';

/** An exchange of a server of `node:http`, in the terms of the web: the SDK knows no others. */
export interface McpHttpExchange extends Exchange {
  /** Returns the request with its whole body; undefined when the body is longer than `maxBytes`. */
  read(maxBytes: number): Promise<{ readonly request: Request; readonly text: string } | undefined>;
  /** Sends an answer, as fast as the client reads it. Resolves when all was sent or the client has left. */
  send(response: Response): Promise<void>;
}

export function createHttpExchange(request: IncomingMessage, response: ServerResponse): McpHttpExchange {
  const left = new AbortController();
  let blocked: Promise<void> | undefined;
  response.on('close', () => {
    if (!response.writableFinished) left.abort(new Error('The client has gone.'));
  });
  // A broken connection is noticed when it closes. The error itself adds nothing.
  request.on('error', () => {});
  response.on('error', () => {});

  async function write(bytes: Uint8Array): Promise<void> {
    if (response.destroyed || response.write(bytes)) return;
    blocked = untilDrained(response);
    await blocked;
    blocked = undefined;
  }

  return {
    left: left.signal,
    async room() {
      // The stream of the SDK is read in a task of its own, which notices first that the client is slow.
      await new Promise((resolve) => setImmediate(resolve));
      await blocked;
    },
    async read(maxBytes) {
      const text = await readText(request, maxBytes);
      return text === undefined ? undefined : { request: webRequest(request, text, left.signal), text };
    },
    async send(answer) {
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.flushHeaders();
      const reader = answer.body?.getReader();
      left.signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}), { once: true });
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done || left.signal.aborted) break;
        await write(value);
      }
      response.end();
    },
  };
}

async function readText(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.byteLength;
    if (size > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function webRequest(
  { method = 'GET', url = '/', headers }: IncomingMessage,
  text: string,
  signal: AbortSignal,
): Request {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
  );
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, {
    method,
    headers: list,
    signal,
    ...(hasBody ? { body: text } : {}),
  });
}
