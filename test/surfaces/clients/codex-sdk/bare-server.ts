import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A frame of the Responses API. */
export interface BareFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface BareRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: BareBody;
}

/** The body of a request. Nothing was checked. */
interface BareBody {
  readonly model: string;
  readonly input: readonly { readonly role?: string }[];
  readonly [field: string]: unknown;
}

export interface BareServer {
  readonly url: string;
  readonly requests: readonly BareRequest[];
}

/**
 * Starts a server as the tests of the SDK have it, until the end of the test: no version in its path, no list of models,
 * whole items without deltas, and streams that may lack an end. The function returns the frames of the n-th answer, from 0.
 */
export async function startBareServer(framesOf: (n: number) => readonly BareFrame[]): Promise<BareServer> {
  const requests: BareRequest[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/responses') {
      response.writeHead(404).end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const frames = framesOf(requests.length);
    requests.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const frame of frames) response.write(`event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests };
}

export const created: BareFrame = { type: 'response.created', response: { id: 'r' } };

const completed: BareFrame = {
  type: 'response.completed',
  response: {
    id: 'r',
    usage: {
      input_tokens: 30,
      input_tokens_details: { cached_tokens: 7 },
      output_tokens: 4,
      output_tokens_details: null,
      total_tokens: 34,
    },
  },
};

export const failed = (message: string): BareFrame => ({
  type: 'error',
  error: { code: 'rate_limit_exceeded', message },
});

/** Returns a whole answer with one message. */
export function answer(text: string): readonly BareFrame[] {
  const content = [{ type: 'output_text', text }];
  const item = { type: 'message', role: 'assistant', id: 'm', content };
  return [created, { type: 'response.output_item.done', item }, completed];
}

/** Returns a whole answer with one call of a tool. */
export function calling(name: string, args: object, n: number): readonly BareFrame[] {
  const item = { type: 'function_call', call_id: `c${n}`, name, arguments: JSON.stringify(args) };
  return [created, { type: 'response.output_item.done', item }, completed];
}
