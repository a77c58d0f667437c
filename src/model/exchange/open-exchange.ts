import type { Lesson } from '../../adapt/refusals/rule.ts';
import { ModelError, messageOf } from '../../base/errors.ts';
import type { Meter } from '../../base/model.ts';
import type { RetryBudget } from '../../base/retry-budget.ts';
import type { ClientWire, Compat, Frame, WireName } from '../../base/wire.ts';
import type { World } from '../../base/world.ts';
import { clientCertificateOf } from '../client-certificate.ts';
import type { EndSignal } from '../end-signal.ts';
import { parseErrorBody } from '../error-body.ts';
import { type ClientIdentity, type HeaderCredentials, hasSecrets, redactor, requestHeaders } from '../headers.ts';
import type { HttpResponse, HttpSender } from '../http.ts';
import { requestUrl } from '../request-url.ts';
import type { ServedModel, ServerMemory, TargetMemory } from '../server-memory.ts';
import { decodeLeniently } from './decode-leniently.ts';
import type { FindAdapt } from './encoded-request.ts';
import { type OpenResponseOptions, openResponse } from './open-response.ts';
import { createRequestForm, type RequestChange, type RequestEncoder, type RequestRefusal } from './request-form.ts';
import { type ResendingOptions, resendingHttp } from './resending-http.ts';

/** A request for a model, of an agent or of a client of the gateway, and everything needed to send it. */
export interface ExchangeOptions<W extends ClientWire> {
  readonly target: ServedModel;
  /** The wire to try first where the server may speak any. */
  readonly wanted: WireName | undefined;
  readonly wireOf: (name: WireName) => Promise<W> | W;
  readonly encoderFor: (wire: W) => RequestEncoder;
  readonly adaptFor: (wire: W) => ReturnType<FindAdapt>;
  /**
   * Called before each attempt. It may take its time, as when a token must be renewed. `refused`: the server has refused
   * the last credentials.
   */
  readonly credentials: (refused: boolean) => HeaderCredentials | Promise<HeaderCredentials>;
  /** Whether refused credentials may be renewed. */
  readonly renewable?: boolean;
  readonly identity: ClientIdentity;
  /** Returns further headers for a server of the wire. The provider's headers win. */
  readonly moreHeaders?: (wire: W) => Readonly<Record<string, string>>;
  /** Variables for headers whose values come from them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly world: World;
  readonly http: HttpSender;
  readonly memory: ServerMemory;
  readonly idleTimeoutMs: number;
  readonly budget: RetryBudget;
  readonly signal: EndSignal;
  readonly meter?: Meter | undefined;
  /** Reports whether a server of the wire is asked for a body in one piece. */
  readonly isWhole?: (wire: W) => boolean;
  readonly onAttempt?: (wire: W) => void;
  /**
   * Called each time that the request was sent, unless tools have other names in it. The server works meanwhile, so this
   * is the time to prepare for its answer.
   */
  readonly onSent?: (sent: SentExchange<W>) => void;
  readonly onHeaders?: ResendingOptions['onHeaders'];
  readonly onRetry?: OpenResponseOptions['onRetry'];
  readonly onChange: (change: RequestChange) => void;
}

/** A request that was sent. Holds no part of the request, which may be long. */
export interface SentExchange<W extends ClientWire> {
  readonly wire: W;
  /** The settings under which the request was sent. */
  readonly compat: Compat;
  /** The tools under the names that were sent, and the way back; undefined where all tools have kept their names. */
  readonly renamed: RenamedTools | undefined;
  readonly repairMemory: TargetMemory['repair'];
  /** Removes secrets from a text of the server. */
  readonly redact: (text: string) => string;
}

/** A server that has begun to answer. */
export interface OpenedExchange<W extends ClientWire> extends SentExchange<W> {
  readonly response: HttpResponse;
  /** The wires that the server turned out to lack. */
  readonly lacking: readonly WireName[];
  /** Lessons of earlier requests that were applied to this one. */
  readonly earlier: readonly Lesson[];
  /** The ids of the adaptations in the request. */
  readonly changes: readonly string[];
}

export interface RenamedTools {
  readonly tools: ReturnType<typeof decodeLeniently>['tools'];
  /** Restores the tools' own names in a frame of the answer. */
  restore(frame: Frame): Frame;
}

/** A server that does not answer. */
export interface FailedExchange {
  readonly error: ModelError;
  readonly refusal: RequestRefusal | undefined;
}

/**
 * Sends a request to the server of its model, in the form that the server accepts, over the first wire whose path the
 * server has. Returns `FailedExchange` for a `ModelError`, and throws every other error.
 */
export async function openExchange<W extends ClientWire>(
  options: ExchangeOptions<W>,
): Promise<OpenedExchange<W> | FailedExchange> {
  const { memory, target, wanted, wireOf, meter } = options;
  const lacking: WireName[] = [];
  const failures: FailedExchange[] = [];
  for (const name of memory.wiresOf(target.provider, wanted)) {
    if (failures.length > 0 && meter) meter.retries++;
    const loading = wireOf(name);
    const wire = loading instanceof Promise ? await loading : loading;
    let opened = await attempt(wire, options, { refused: false, lacking });
    if (options.renewable && 'error' in opened && opened.error.status === 401) {
      if (meter) meter.retries++;
      opened = await attempt(wire, options, { refused: true, lacking });
    }
    if ('response' in opened) {
      for (const missing of lacking) memory.lacks(target.provider, missing);
      return opened;
    }
    if (!NO_SUCH_PATH.has(opened.error.status) || lacksModel(opened.refusal)) return opened;
    failures.push(opened);
    lacking.push(name);
  }
  // A server that has the path but not the model returns an error with a reason; a missing path has none.
  return failures.find(({ refusal }) => saysWhy(refusal)) ?? failures[0] ?? NO_WAY;
}

/** The statuses with which a server reports that it does not have a path. */
const NO_SUCH_PATH: ReadonlySet<number | undefined> = new Set([404, 405]);

const NO_WAY: FailedExchange = {
  error: new ModelError('unreachable', 'There is no way to this server.'),
  refusal: undefined,
};

/** Reports whether a server has the path but not the model. A model may also be one that has only another path. */
function lacksModel(refusal: RequestRefusal | undefined): boolean {
  const { message, codes, error } = parseErrorBody(refusal?.body ?? '');
  if (error === undefined && !PLAIN_ERROR.test(refusal?.body ?? '')) return false;
  return codes.includes('model_not_found') || (/\bmodel\b/i.test(message) && !ABOUT_PATHS.test(message));
}

/** An error that is only a sentence. */
const PLAIN_ERROR = /^\s*\{\s*"error"\s*:\s*"/;

const ABOUT_PATHS = /\bv\d+\/|\b(?:api|endpoints?|paths?|routes?|responses|completions)\b/i;

function saysWhy(refusal: RequestRefusal | undefined): boolean {
  return refusal !== undefined && parseErrorBody(refusal.body).error !== undefined;
}

/** Sends a request over a wire. `refused`: the server has refused the last credentials, so that it gets new ones. */
async function attempt<W extends ClientWire>(
  wire: W,
  options: ExchangeOptions<W>,
  { refused, lacking }: { readonly refused: boolean; readonly lacking: readonly WireName[] },
): Promise<OpenedExchange<W> | FailedExchange> {
  const { target, identity, env, world, memory, idleTimeoutMs, budget, signal, meter } = options;
  const { onChange, onHeaders } = options;
  const { provider } = target;
  options.onAttempt?.(wire);
  let refusal = (): RequestRefusal | undefined => undefined;
  try {
    const found = credentialsOf(options, refused);
    const credentials = found instanceof Promise ? await found : found;
    const headers = requestHeaders({ provider, identity, credentials, env, wire, more: options.moreHeaders?.(wire) });
    const redact = redactor(headers, provider, Object.values(credentials.headers ?? {}));
    const known = memory.of(target);
    const earlier = [...known.lessons];
    const adapt = () => options.adaptFor(wire);
    const encoder = options.encoderFor(wire);
    const first = encoder.encode(known.compat);
    const encoded = first instanceof Promise ? await first : first;
    const form = createRequestForm(encoded, { encoder, known, adapt, redact, onChange });
    refusal = () => form.refusal;
    const http = tellingHttp(options.http, () => {
      if (form.encoded.restoreName !== undefined) return;
      options.onSent?.({ wire, compat: form.compat, renamed: undefined, repairMemory: known.repair, redact });
    });
    const whole = options.isWhole?.(wire) ?? false;
    const response = await openResponse(
      {
        url: requestUrl(provider, wire.path),
        wire,
        headers: whole ? { ...headers, accept: 'application/json' } : headers,
        body: form.encoded.body,
        maxRetries: provider.requestMaxRetries,
        idleTimeoutMs,
        budget,
        signal,
        meter,
        redact,
        ...clientCertificateOf(provider),
        keyFrom: () => credentials.where ?? (hasSecrets(headers, provider) ? undefined : null),
      },
      {
        http: resendingHttp(http, { whole, onRefusal: form.onRefusal, onAnswer: form.onAnswer, onHeaders }),
        world,
        link: memory.linkOf(provider),
        onRetry: options.onRetry ?? (() => {}),
      },
    );
    const { compat } = form;
    const { restoreName, sent, changes } = form.encoded;
    const renamed = restoreName && (await renamedTools(restoreName, sent(), adapt));
    return { response, wire, compat, earlier, changes, renamed, lacking, repairMemory: known.repair, redact };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { error, refusal: refusal() };
  }
}

/** Returns a client that calls a function after each request that it sent. */
function tellingHttp(http: HttpSender, onSent: () => void): HttpSender {
  return {
    send(url, options) {
      const response = http.send(url, options);
      onSent();
      return response;
    },
  };
}

function credentialsOf(
  { credentials }: Pick<ExchangeOptions<ClientWire>, 'credentials'>,
  refused: boolean,
): HeaderCredentials | Promise<HeaderCredentials> {
  const fail = (error: unknown): never => {
    throw error instanceof ModelError ? error : new ModelError('auth', messageOf(error), { cause: error });
  };
  try {
    const found = credentials(refused);
    return found instanceof Promise ? found.catch(fail) : found;
  } catch (error) {
    return fail(error);
  }
}

async function renamedTools(
  restoreName: (name: string) => string,
  sent: Readonly<Record<string, unknown>>,
  adapt: FindAdapt,
): Promise<RenamedTools | undefined> {
  const adapting = await adapt();
  const rules = adapting?.wire.edge.adapt;
  if (adapting === undefined || rules === undefined) return undefined;
  return { tools: decodeLeniently(adapting.wire, sent).tools, restore: adapting.restoreNames(rules, restoreName) };
}
