import type { IncomingMessage } from 'node:http';
import { messageOf } from '../base/errors.ts';
import { deliver } from './deliver.ts';
import { fault, type ScriptedAnswer } from './fault.ts';
import { createIds, type Ids } from './ids.ts';
import { type ReceivedRequest, startLoopbackServer } from './loopback-server.ts';
import { openExchange } from './open-exchange.ts';
import { planDelivery } from './plan-delivery.ts';
import type { RecordedRequest } from './recorded-request.ts';
import type { ReplyWire } from './reply-wire.ts';
import { createRequestList, type RequestList } from './request-list.ts';
import { createScriptReader, type Script, type ScriptReader } from './script.ts';
import { REPLY_WIRES, STANDARD_WIRE } from './wires/index.ts';

/** Options of `startScriptedModel`. */
export interface ScriptedModelOptions {
  /** Port of the server. A free one by default. */
  readonly port?: number;
}

/** A running model server that answers by its script. */
export interface ScriptedModel {
  /** Base URL, which ends in `/v1`. */
  readonly url: string;
  /** All requests on the path of a wire, in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Requests that the script has no answer for, and requests on other paths. A passing test has none. */
  readonly unexpected: readonly RecordedRequest[];
  /** Resolves to the n-th request, from 1, as soon as its body has arrived. */
  waitForRequest(n: number, options?: { readonly timeoutMs?: number }): Promise<RecordedRequest>;
  /**
   * Throws an error that names the requests without an answer, and the answers of a list that were not asked for. To be
   * called at the end of a test: `close` does not check, so that it never hides why a test failed.
   */
  assertDone(): void;
  /** Ends all connections at once. Nothing is left open. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a model server on the loopback address that answers by a script and records its requests. */
export async function startScriptedModel(script: Script, options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const host: Host = {
    script: createScriptReader(script),
    ids: createIds(),
    list: createRequestList(),
    unexpected: [],
    refusals: [],
    closing: false,
  };
  const server = await startLoopbackServer((arrived) => serve(host, arrived), options.port ?? 0);
  const close = async () => {
    host.closing = true;
    host.list.close();
    await server.close();
  };
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests: host.list.requests,
    unexpected: host.unexpected,
    waitForRequest: (n, { timeoutMs = 20_000 } = {}) => host.list.wait(n, timeoutMs),
    assertDone: () => assertDone(host),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function assertDone({ script, refusals }: Host): void {
  const unused = script.unused();
  const left = unused.length === 0 ? [] : [`The script has answers that were not asked for: ${unused.join(', ')}.`];
  const faults = [...refusals, ...left];
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

interface Host {
  readonly script: ScriptReader;
  readonly ids: Ids;
  readonly list: RequestList;
  readonly unexpected: RecordedRequest[];
  /** A sentence for each request in `unexpected`. */
  readonly refusals: string[];
  closing: boolean;
}

async function serve(host: Host, { request, response, bytes, body }: ReceivedRequest): Promise<void> {
  const isClosing = () => host.closing;
  const { record, exchange } = openExchange({ request, response, bytes, body: body ?? {}, isClosing });
  const wire = wireOf(request);
  const answer = wire ? await answerTo(host, record, body !== undefined) : refuse(host, record, notFound(record));
  const context = { ids: host.ids, model: record.body.model ?? 'scripted', body: record.body };
  await deliver(planDelivery(answer, wire ?? STANDARD_WIRE, context), exchange);
}

function wireOf(request: IncomingMessage): ReplyWire | undefined {
  const path = request.url?.split('?')[0];
  const isOf = (wire: ReplyWire) => BASES.some((base) => path === `${base}${wire.path}`);
  return Object.values(REPLY_WIRES).find((wire) => request.method === 'POST' && isOf(wire));
}

async function answerTo(host: Host, record: RecordedRequest, isJson: boolean): Promise<ScriptedAnswer> {
  const n = host.list.add(record);
  if (!isJson) return refuse(host, record, { status: 400, text: `The body of request ${n} is not a JSON object.` });
  try {
    const answer = await host.script.answerTo(record, n);
    return typeof answer === 'string' ? refuse(host, record, { status: 400, text: answer }) : answer;
  } catch (error) {
    return refuse(host, record, { status: 400, text: `The script failed at request ${n}: ${messageOf(error)}` });
  }
}

interface Refusal {
  readonly status: number;
  readonly text: string;
}

function refuse(host: Host, record: RecordedRequest, { status, text }: Refusal): ScriptedAnswer {
  host.unexpected.push(record);
  host.refusals.push(text);
  return fault.status(status, { error: { type: 'scripted_model', message: text } });
}

/** Paths that the paths of wires stand below: of an API, of ChatGPT, and of servers with an API of their own. */
const BASES = ['/v1', '/backend-api/codex', '/api'];

function notFound({ method, path }: RecordedRequest): Refusal {
  const known = Object.values(REPLY_WIRES).map((wire) => `POST /v1${wire.path}`);
  return { status: 404, text: `The scripted model answers ${known.join(', ')}, not ${method} ${path}.` };
}
