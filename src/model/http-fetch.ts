import { ModelError, UserError } from '../base/errors.ts';
import { ProxyFault } from './http/proxy-fault.ts';
import type { HttpResponse, HttpSender, SendOptions } from './http.ts';

type Fetch = typeof globalThis.fetch;

const MOST_REDIRECTS = 10;

/** Statuses whose responses have no body. */
const NO_BODY: readonly number[] = [204, 205, 304];

/** Methods, and the name of each as an option of a request. */
const METHODS: Readonly<Record<string, SendOptions['method']>> = { GET: 'GET', DELETE: 'DELETE', POST: undefined };

/**
 * Returns a `fetch` over our own client, so that libraries use the same proxies, certificates and limits as requests to
 * models. It sends GET, POST and DELETE and follows redirects. Throws `UserError` with a sentence when a proxy or a
 * setting is in the way, and otherwise what `fetch` throws.
 */
export function createHttpFetch(http: HttpSender, userAgent: string): Fetch {
  return async (input, init) => {
    let request = new Request(input, init);
    const followed = init?.redirect ?? request.redirect;
    for (let redirects = 0; ; redirects++) {
      const next = request.clone();
      const response = await send(http, request, userAgent);
      const target = followed === 'manual' ? undefined : targetOf(request.url, response);
      if (target === undefined) return response;
      if (followed === 'error' || redirects === MOST_REDIRECTS) throw new TypeError('fetch failed: too many redirects');
      await response.body?.cancel();
      request = redirected(next, target, response.status);
    }
  };
}

async function send(http: HttpSender, request: Request, userAgent: string): Promise<Response> {
  const { url, method, signal } = request;
  if (!Object.hasOwn(METHODS, method)) throw new TypeError(`fetch failed: the method ${method} is not supported`);
  const option = METHODS[method];
  try {
    const response = await http.send(new URL(url), {
      ...(option === undefined ? {} : { method: option }),
      headers: { accept: '*/*', 'user-agent': userAgent, ...Object.fromEntries(request.headers) },
      body: new Uint8Array(await request.arrayBuffer()),
      // The signal says when a request has taken too long. A stream of events may be silent for hours.
      idleTimeoutMs: Number.POSITIVE_INFINITY,
      signal,
    });
    return responseOf(response, url, signal);
  } catch (error) {
    throw faultOf(error, signal);
  }
}

function responseOf(response: HttpResponse, url: string, signal: AbortSignal): Response {
  const { status } = response;
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
  }
  const isEmpty = NO_BODY.includes(status);
  if (isEmpty) response.release();
  const made = new Response(isEmpty ? null : bodyOf(response, signal), { status, headers });
  return Object.defineProperty(made, 'url', { value: url });
}

function bodyOf(response: HttpResponse, signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      try {
        const bytes = await response.read(Number.POSITIVE_INFINITY);
        if (bytes === null) controller.close();
        else controller.enqueue(new Uint8Array(bytes));
      } catch (error) {
        controller.error(faultOf(error, signal));
      }
    },
    cancel: () => response.release(),
  });
}

/** Returns the error as callers of `fetch` know it. A sentence for the user stays one. */
function faultOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const isSentence = error instanceof ProxyFault || (error instanceof ModelError && error.code === 'unreachable');
  if (isSentence) return new UserError('unavailable', error.message, { cause: error });
  return new TypeError('fetch failed', { cause: error });
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Returns the address that a response leads to. */
function targetOf(url: string, { status, headers }: Response): URL | undefined {
  const location = headers.get('location');
  return location !== null && REDIRECTS.includes(status) ? new URL(location, url) : undefined;
}

/** Returns the next request of a redirect. Another host gets no credentials. */
function redirected(request: Request, target: URL, status: number): Request {
  const headers = new Headers(request.headers);
  if (target.origin !== new URL(request.url).origin) {
    for (const name of ['authorization', 'cookie', 'proxy-authorization']) headers.delete(name);
  }
  const keepsMethod = status === 307 || status === 308 || request.method !== 'POST';
  if (keepsMethod && request.method === 'POST') return new Request(target, withBody(request, headers));
  headers.delete('content-type');
  return new Request(target, { method: keepsMethod ? request.method : 'GET', headers, signal: request.signal });
}

function withBody(request: Request, headers: Headers): RequestInit {
  return { method: 'POST', headers, body: request.body, signal: request.signal, duplex: 'half' } as RequestInit;
}
