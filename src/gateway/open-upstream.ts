import { ModelError, messageOf } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import type { ModelRequest } from '../base/model.ts';
import type { Compat, WireName } from '../base/wire.ts';
import type { EndSignal } from '../model/end-signal.ts';
import { parseErrorBody } from '../model/error-body.ts';
import { openResponse } from '../model/exchange/open-response.ts';
import { resendingHttp } from '../model/exchange/resending-http.ts';
import { redactor, requestHeaders } from '../model/headers.ts';
import type { HttpResponse } from '../model/http.ts';
import { requestUrl } from '../model/request-url.ts';
import type { ServerMemory } from '../model/server-memory.ts';
import { learn } from '../wire/adapt/learn.ts';
import type { Lesson } from '../wire/adapt/refusals/rule.ts';
import type { Wires } from '../wire/registry.ts';
import type { Wire } from '../wire/wire.ts';
import type { ExchangeRecord } from './exchange-record.ts';
import type { GatewayOptions } from './gateway.ts';

import { type PreparedRequest, prepareRequest } from './prepare-request.ts';
import type { AskedRequest } from './read-request.ts';
import type { Target } from './target.ts';
import { type Refusal, upstreamError } from './upstream-error.ts';

export interface OpenUpstreamOptions<T> extends Pick<GatewayOptions, 'credentials' | 'env' | 'world'> {
  readonly http: NonNullable<GatewayOptions['http']>;
  readonly memory: ServerMemory;
  readonly wires: Wires;
  readonly asked: AskedRequest;
  readonly request: () => ModelRequest;
  readonly target: Target;
  readonly record: ExchangeRecord;
  readonly idleTimeoutMs: number;
  readonly signal: EndSignal;
  /** Makes what the answer needs, while the server thinks. Again if the request has to be sent in another form. */
  readonly ready: (sent: SentRequest) => T;
}

/** A request as it was sent. */
export interface SentRequest {
  readonly wire: Wire;
  readonly prepared: PreparedRequest;
  readonly compat: Compat;
  /** Takes secrets out of what the server says. */
  readonly redact: (text: string) => string;
}

/** A server that has begun to answer. */
export interface Upstream<T> {
  readonly response: HttpResponse;
  readonly ready: T;
}

/** Sends a client's request to the server of its model, in the form that the server takes. Throws `ClientError`. */
export async function openUpstream<T>(options: OpenUpstreamOptions<T>): Promise<Upstream<T>> {
  const { memory, target, record, asked, wires } = options;
  const lacking: WireName[] = [];
  const failures: Failed[] = [];
  for (const name of memory.wiresOf(target.provider, surestWire(asked, wires).name)) {
    const wire = wires.get(name);
    if (wire === undefined) continue;
    record.serverWire = name;
    const opened = await attempt(wire, options);
    if ('response' in opened) {
      for (const missing of lacking) memory.lacks(target.provider, missing);
      return opened;
    }
    if (!NO_SUCH_PATH.has(opened.error.status)) throw upstreamError(opened.error, opened.refusal);
    failures.push(opened);
    lacking.push(name);
  }
  // The server may know the path and not the model: it says so in an error, and of a path just that it is not there.
  const { error, refusal } = failures.find(({ refusal }) => saysWhy(refusal)) ?? failures[0] ?? NO_WAY;
  throw upstreamError(error, refusal);
}

/**
 * Returns the wire on which a server that may speak any surely carries the request. Servers refuse or pass over tools that few
 * of them know, but take them as functions on a wire that sends them so.
 */
function surestWire({ wire, body }: AskedRequest, wires: Wires): Wire {
  if (!wire.edge.hasRareTools(body)) return wire;
  return [...wires.values()].find(({ carries }) => !carries.customTools && !carries.namespaces) ?? wire;
}

const NO_WAY: Failed = {
  error: new ModelError('unreachable', 'There is no way to this server.'),
  refusal: undefined,
};

function saysWhy(refusal: Refusal | undefined): boolean {
  return refusal !== undefined && isRecord(parseErrorBody(refusal.body).error);
}

const NO_SUCH_PATH: ReadonlySet<number | undefined> = new Set([404, 405]);

interface Failed {
  readonly error: ModelError;
  readonly refusal: Refusal | undefined;
}

async function attempt<T>(wire: Wire, options: OpenUpstreamOptions<T>): Promise<Upstream<T> | Failed> {
  const { provider } = options.target;
  let form: RequestForm | undefined;
  try {
    const headers = await headersFor(wire, options);
    const redact = redactor(headers, provider);
    form = createForm(wire, options, redact);
    const { onRefusal, onAnswer, compat: known } = form;
    const whole = !options.asked.stream && options.asked.wire === wire;
    const opening = openResponse(
      {
        url: requestUrl(provider, wire.path),
        wire,
        headers: whole ? { ...headers, accept: 'application/json' } : headers,
        body: form.prepared.bytes,
        maxRetries: provider.requestMaxRetries,
        idleTimeoutMs: options.idleTimeoutMs,
        signal: options.signal,
        redact,
      },
      {
        http: resendingHttp(options.http, { whole, onRefusal, onAnswer }),
        world: options.world,
        link: options.memory.linkOf(provider),
        onRetry: () => {},
      },
    );
    const first = form.prepared;
    const ready = meanwhile(opening, () => options.ready({ wire, prepared: first, compat: known, redact }));
    const response = await opening;
    const { prepared, compat } = form;
    for (const id of prepared.changes) options.record.adaptations.add(id);
    return { response, ready: prepared === first ? ready : options.ready({ wire, prepared, compat, redact }) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { error, refusal: form?.refusal };
  }
}

/** What the step gives; where it fails, nobody waits for the answer. */
function meanwhile<T>(opening: Promise<HttpResponse>, step: () => T): T {
  try {
    return step();
  } catch (error) {
    opening.then(
      (response) => response.close(),
      () => {},
    );
    throw error;
  }
}

async function headersFor(wire: Wire, options: OpenUpstreamOptions<unknown>): Promise<Record<string, string>> {
  const { target, env, record } = options;
  const credentials = await options.credentials(target.provider).catch((error: unknown) => {
    throw error instanceof ModelError ? error : new ModelError('auth', messageOf(error), { cause: error });
  });
  const identity = { threadId: record.id, originator: 'oxbow_gateway', userAgent: 'oxbow-gateway' };
  return requestHeaders({ provider: target.provider, identity, credentials, env, wire });
}

/** The form in which a request is sent, which changes with what the server refuses. */
interface RequestForm {
  prepared: PreparedRequest;
  compat: Compat;
  refusal: Refusal | undefined;
  onRefusal(status: number, body: string): Uint8Array | undefined;
  onAnswer(): void;
}

function createForm(
  wire: Wire,
  { asked: first, request, target, memory, record }: OpenUpstreamOptions<unknown>,
  redact: (text: string) => string,
): RequestForm {
  const known = memory.of(target);
  let asked = first;
  const lessons: Lesson[] = [];
  const prepare = (compat: Compat) => prepareRequest({ asked, request, wire, model: target.model, compat });
  const changed = (): Uint8Array | undefined => {
    const next = prepare(form.compat);
    if (Buffer.compare(next.bytes, form.prepared.bytes) === 0) return undefined;
    form.prepared = next;
    return next.bytes;
  };
  const form: RequestForm = {
    prepared: prepare(known.compat),
    compat: known.compat,
    refusal: undefined,
    onRefusal(status, body) {
      form.refusal = { status, body: redact(body) };
      if (status === 400 && body.includes('invalid_encrypted_content') && asked === first && asked.wire === wire) {
        asked = { ...asked, body: wire.edge.withoutSealed(asked.body) };
        record.adaptations.add('E9');
        return changed();
      }
      const lesson = learn(wire.edge.adapt, { status, body }, form.prepared.sent(), form.compat);
      if (lesson === undefined) return undefined;
      form.compat = { ...form.compat, ...lesson.patch };
      const bytes = changed();
      if (bytes === undefined) return undefined;
      lessons.push(lesson);
      record.adaptations.add(redact(lesson.reason));
      return bytes;
    },
    /** What was guessed of a refusal is kept once it has proved right. */
    onAnswer() {
      for (const lesson of lessons.splice(0)) known.learn(lesson);
    },
  };
  return form;
}
