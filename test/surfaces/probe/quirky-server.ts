import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { chunksOf, type Fields, type SmallAnswer, smallModel } from './small-model.ts';

/** A planted quirk: changes at each step from a request to the bytes of its answer. */
export interface Quirk {
  /** Returns the refusal of a request; undefined for a request that is accepted. */
  refuse?(body: Fields): Refusal | undefined;
  answer?(answer: SmallAnswer, body: Fields): SmallAnswer;
  chunks?(chunks: readonly Fields[], answer: SmallAnswer, body: Fields): readonly Fields[];
  /** Changes the text of the stream. */
  text?(text: string): string;
  /** Answers in one body. */
  readonly whole?: boolean;
}

export interface Refusal {
  readonly status?: number;
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface QuirkyServer {
  readonly url: string;
  /** Bodies of the requests to the model. */
  readonly requests: readonly Fields[];
  /** All paths that were asked for. */
  readonly paths: readonly string[];
}

export const MODEL = 'small';

/** Starts a chat server with quirks. It ends with the test. */
export async function startQuirky(quirk: Quirk, path = '/v1'): Promise<QuirkyServer> {
  const requests: Fields[] = [];
  const paths: string[] = [];
  const url = await startServer(async (request, response) => {
    paths.push(request.url ?? '');
    const body = await read(request);
    if (request.url === `${path}/chat/completions`) requests.push(body);
    const {
      status,
      type = 'application/json',
      text,
    } = answerTo(request.url?.slice(path.length), quirk, {
      body,
      n: requests.length,
    });
    response.writeHead(status, { 'content-type': type });
    response.end(text);
  });
  return { url: `${url}${path}`, requests, paths };
}

/** Starts a server on the loopback address. It ends with the test. Returns its address. */
export async function startServer(
  serve: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function read(request: IncomingMessage): Promise<Fields> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : (JSON.parse(text) as Fields);
}

interface Sent {
  readonly status: number;
  readonly type?: string;
  readonly text: string;
}

function answerTo(
  path: string | undefined,
  quirk: Quirk,
  { body, n }: { readonly body: Fields; readonly n: number },
): Sent {
  if (path === '/models') return json(200, { data: [{ id: 'text-embedding-1' }, { id: MODEL }] });
  if (path !== '/chat/completions') return json(404, { detail: 'Not Found' });
  if (body.model !== MODEL) {
    const message = `The model ${String(body.model)} does not exist`;
    return json(404, { error: { message, code: 'model_not_found' } });
  }
  const refusal = quirk.refuse?.(body);
  if (refusal !== undefined) {
    const { status = 400, ...error } = refusal;
    return json(status, { error: { type: 'invalid_request_error', ...error } });
  }
  const plain = smallModel(body, n);
  const answer = quirk.answer?.(plain, body) ?? plain;
  if (quirk.whole) return json(200, wholeBody(answer));
  const chunks = chunksOf(answer, body);
  const sent = quirk.chunks?.(chunks, answer, body) ?? chunks;
  const text = `${sent.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
  return { status: 200, type: 'text/event-stream', text: quirk.text?.(text) ?? text };
}

function wholeBody({ text, calls }: SmallAnswer): Fields {
  const tool_calls = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = { role: 'assistant', content: text === '' ? null : text, ...(calls.length > 0 && { tool_calls }) };
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
  return { id: 'chatcmpl-1', object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage };
}

function json(status: number, body: object): Sent {
  return { status, text: JSON.stringify(body) };
}
