import { ModelError } from '../../base/errors.ts';
import type { Meter } from '../../base/model.ts';
import type { ClientCertificate } from '../../base/provider.ts';
import { type Retry, type RetryBudget, takeRetry } from '../../base/retry-budget.ts';
import type { ClientWire } from '../../base/wire.ts';
import type { World } from '../../base/world.ts';
import { failureStatus } from '../../wire/edge/failure-code.ts';
import { readFailure } from '../../wire/edge/read-failure.ts';
import { abortSignalOf, type EndSignal } from '../end-signal.ts';
import { parseErrorBody, plainMessage, shorten } from '../error-body.ts';
import { anyKnownFailure, statusError, tooLongFailure } from '../errors.ts';
import { abortedError, type HttpResponse, type HttpSender, type SendOptions } from '../http.ts';
import { backoffMs } from '../retry.ts';
import { describeUnreachable } from '../unreachable.ts';
import { putBack } from './put-back.ts';

/** A request that is ready to be sent, possibly several times. */
export interface OutgoingRequest {
  readonly url: URL;
  /** Distinguishes an answer from other bodies. */
  readonly wire: Pick<ClientWire, 'framing' | 'isWholeAnswer'>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: SendOptions['body'];
  /** Number of times that this request is sent again, within the budget. */
  readonly maxRetries: number;
  readonly budget: RetryBudget;
  readonly idleTimeoutMs: number;
  readonly signal: EndSignal;
  /** Removes secrets from a text of the server. */
  readonly redact: (text: string) => string;
  /** Returns the variable, file or program that the key comes from. Null: the request has no key. */
  readonly keyFrom?: () => string | null | undefined;
  /** Counts the bytes of the exchange. */
  readonly meter?: Meter | undefined;
  /** Certificate that is shown to the server. */
  readonly clientCertificate?: ClientCertificate;
}

export interface OpenResponseOptions {
  readonly http: HttpSender;
  readonly world: World;
  /** Whether this server has ever answered. It is set here. */
  readonly link: { reached: boolean };
  onRetry(retry: Retry, error: ModelError): void;
}

/**
 * Sends a request until a server answers, and resolves with an answer that is about to stream. Failures of the
 * connection and of the server (5xx) are retried here. All other failures are thrown, for the turn to decide.
 */
export async function openResponse(outgoing: OutgoingRequest, options: OpenResponseOptions): Promise<HttpResponse> {
  const { budget, maxRetries, signal, meter } = outgoing;
  const { world } = options;
  for (let attempt = 1; ; attempt++) {
    const startedAt = performance.now();
    const waitedBefore = meter?.waitedMs ?? 0;
    const outcome = await tryOnce(outgoing, options);
    if ('response' in outcome) return outcome.response;
    const waited = (meter?.waitedMs ?? 0) - waitedBefore;
    budget.leftMs -= Math.max(0, performance.now() - startedAt - waited);
    const { error, again } = outcome;
    if (!again || attempt > maxRetries) throw error;
    const delayMs = error.retryAfterMs ?? backoffMs(budget.retries + 1, world.random);
    const retry = takeRetry(budget, error, delayMs, world.now());
    options.onRetry(retry, error);
    await sleep(world, delayMs, signal);
    if (meter) meter.retries++;
  }
}

/** Returns the request with the time that it may wait for an answer. Only the first attempt may exceed the budget. */
function timed(outgoing: OutgoingRequest): OutgoingRequest {
  const { idleTimeoutMs, budget } = outgoing;
  if (budget.retries === 0 || budget.leftMs >= idleTimeoutMs) return outgoing;
  return { ...outgoing, idleTimeoutMs: budget.leftMs };
}

/** Returns an address that people may see: the query and the user part may hold keys. */
function displayUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

type Outcome = { readonly response: HttpResponse } | { readonly error: ModelError; readonly again: boolean };

async function tryOnce(outgoing: OutgoingRequest, { http, world, link }: OpenResponseOptions): Promise<Outcome> {
  let response: HttpResponse;
  try {
    response = await http.send(outgoing.url, timed(outgoing));
  } catch (error) {
    return transportOutcome(error, outgoing, link);
  }
  link.reached = true;
  const { status, headers } = response;
  const encoding = unreadEncoding(response);
  if (status >= 200 && status <= 299) {
    if (encoding !== undefined) {
      response.close();
      return { error: encodedError(displayUrl(outgoing.url), encoding), again: false };
    }
    const type = refusedType(response);
    if (type === undefined) return { response };
    const body = await readBody(response, outgoing, type === 'text/html' ? EXPLANATION : answerExtent(outgoing));
    if (isAnswer(body.text, outgoing)) return { response: putBack(response, body.chunks, body.ended) };
    return {
      error: noStreamError({ url: displayUrl(outgoing.url), type, body: outgoing.redact(body.text) }),
      again: false,
    };
  }
  const failed = await readBody(response, outgoing, EXPLANATION);
  // The body contains the text of the model, which may contain a call.
  if (status === 400 && failed.text.includes('"failed_generation"')) {
    return { response: putBack(response, failed.chunks, failed.ended) };
  }
  const body = encoding === undefined ? failed.text : '';
  const { url, redact } = outgoing;
  const keyFrom = outgoing.keyFrom?.();
  const error = statusError({ status, headers, body, url: displayUrl(url), now: world.now(), redact, keyFrom });
  // An overloaded server may have room soon, but not for a turn that asks again and again.
  return { error, again: status >= 500 && (error.retryable || error.code === 'overloaded') };
}

function transportOutcome(
  error: unknown,
  outgoing: OutgoingRequest,
  { reached }: OpenResponseOptions['link'],
): Outcome {
  if (error instanceof ModelError) return { error, again: error.code === 'idle_timeout' };
  const { message, lasting } = describeUnreachable(displayUrl(outgoing.url), error);
  const options = { retryable: reached && !lasting, cause: error };
  return { error: new ModelError('unreachable', outgoing.redact(message), options), again: !lasting };
}

/** Returns the content encoding of a body if this client cannot read it. */
function unreadEncoding({ headers }: HttpResponse): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === '' || encoding === 'identity' ? undefined : encoding;
}

function encodedError(url: string, encoding: string): ModelError {
  const said = `The server at ${url} encoded its answer as ${shorten(encoding, MAX_SHOWN_CHARS)}, which it was not asked for.`;
  return new ModelError('invalid_response', `${said} Turn compression off there, or in the proxy before it.`);
}

/**
 * Returns the type of a body that is certainly not a stream. Servers omit the type of a stream or get it wrong, so all
 * other types are accepted.
 */
function refusedType(response: HttpResponse): string | undefined {
  return REFUSED_TYPE.exec(response.headers['content-type'] ?? '')?.[1]?.toLowerCase();
}

const REFUSED_TYPE = /^\s*(text\/html|application\/json)\s*(?:;|$)/i;

function noStreamError({ url, type, body }: { url: string; type: string; body: string }): ModelError {
  const begins = `The server at ${url} answered with`;
  const { message, codes, error } = parseErrorBody(body);
  if (error !== undefined) {
    const text = `${begins} an error instead of an event stream: ${message}`;
    const said = new ModelError('invalid_response', text, { serverWords: message, ...statusIn(error) });
    return anyKnownFailure(codes, message) ?? tooLongFailure(message) ?? said;
  }
  const start = shorten(plainMessage(body), MAX_SHOWN_CHARS);
  return new ModelError('invalid_response', `${begins} ${type} instead of an event stream: ${start}. Check base_url.`);
}

/** Returns the status of failure that an error names. Some servers send it with a status of success. */
function statusIn(error: Readonly<Record<string, unknown>>): { readonly status?: number } {
  const status = failureStatus(readFailure(error).code);
  return status === undefined ? {} : { status };
}

/** Reports whether a body is a stream under a wrong type, or a whole answer. An error is recognised by its key. */
function isAnswer(text: string, { wire }: OutgoingRequest): boolean {
  const start = text.trimStart();
  if (wire.framing.begins(start)) return true;
  return wire.isWholeAnswer(start) && parseErrorBody(text).error === undefined;
}

const MAX_SHOWN_CHARS = 200;

/** Extent to which a body is read. */
interface Extent {
  readonly maxBytes: number;
  /** Reports whether these first bytes are enough. */
  isEnough(start: Uint8Array): boolean;
}

const EXPLANATION: Extent = { maxBytes: 64 * 1024, isEnough: () => false };
/**
 * Returns the extent of a body that may be an answer. The beginning of a stream is enough, because the stream must go
 * on streaming.
 */
function answerExtent({ wire }: OutgoingRequest): Extent {
  return { maxBytes: 64 * 1024 * 1024, isEnough: (start) => wire.framing.begins(textOf([start]).trimStart()) };
}

const MAX_BODY_WAIT_MS = 10_000;

interface Body {
  readonly chunks: readonly Uint8Array[];
  readonly text: string;
  /** Whether the chunks are the whole body. */
  readonly ended: boolean;
}

/**
 * Reads a body that is not a proper stream. The part before a broken connection is returned as well, because it may
 * explain something.
 */
async function readBody(response: HttpResponse, outgoing: OutgoingRequest, extent: Extent): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  try {
    while (size < extent.maxBytes) {
      const chunk = await response.read(Math.min(outgoing.idleTimeoutMs, MAX_BODY_WAIT_MS));
      ended = chunk === null;
      if (chunk === null) break;
      chunks.push(chunk);
      size += chunk.byteLength;
      if (chunks.length === 1 && extent.isEnough(chunk)) return { chunks, text: textOf(chunks), ended };
    }
    response.release();
  } catch (error) {
    response.close();
    if (outgoing.signal.aborted) throw error;
  }
  return { chunks, text: textOf(chunks), ended };
}

function textOf(chunks: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(chunks));
}

async function sleep(world: World, ms: number, signal: EndSignal): Promise<void> {
  try {
    await world.sleep(ms, abortSignalOf(signal));
  } catch {
    throw abortedError();
  }
  if (signal.aborted) throw abortedError();
}
