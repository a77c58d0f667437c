import { isRenewable } from '../../auth/credentials.ts';
import type { ModelError } from '../../base/errors.ts';
import { createRetryBudget } from '../../base/retry-budget.ts';
import { type OpenedExchange, openExchange, type SentExchange } from '../../model/exchange/open-exchange.ts';
import type { RequestChange } from '../../model/exchange/request-form.ts';
import { isTimeout } from '../../model/unreachable.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { Wires } from '../../wire/registry.ts';
import type { Incoming } from '../server/client-io.ts';
import type { Target } from '../target.ts';
import type { GatewayExchange } from './exchange.ts';
import { adaptFor, createEncoder } from './prepare-request.ts';
import type { ClientRequest } from './read-request.ts';
import { upstreamError } from './upstream-error.ts';

export interface OpenUpstreamOptions {
  readonly target: Target;
  readonly idleTimeoutMs: number;
  /** Called each time that the request was sent, unless tools have other names in it. */
  readonly onSent: (sent: SentExchange<Wire>) => void;
}

/** Sends a client's request to the server of its model, in the form that the server accepts. Throws `ClientError`. */
export async function openUpstream(
  { incoming, parts, record, limit }: GatewayExchange,
  asked: ClientRequest,
  { target, idleTimeoutMs, onSent }: OpenUpstreamOptions,
): Promise<OpenedExchange<Wire>> {
  const { credentials, env, world, http, memory, wires } = parts;
  const wanted = surestWire(asked, wires);
  const opened = await openExchange<Wire>({
    target,
    wanted: wanted.name,
    wireOf: (name) => (name === wanted.name ? wanted : (wires.get(name) ?? wanted)),
    encoderFor: (wire) => createEncoder(asked, wire, target),
    adaptFor,
    credentials: (refused) => credentials(target.provider, refused),
    renewable: isRenewable(target.provider),
    identity: { requestId: record.id, originator: 'oxbow_gateway', userAgent: 'oxbow-gateway' },
    moreHeaders: (wire) => (asked.wire === wire ? passedHeaders(wire, incoming) : {}),
    env,
    world,
    http,
    memory,
    idleTimeoutMs,
    budget: createRetryBudget(Math.min(target.provider.requestMaxRetries, MAX_RETRIES), mayRepeat),
    signal: limit.signal,
    isWhole: (wire) => !asked.stream && asked.wire === wire,
    onAttempt(wire) {
      record.serverWire = wire.name;
    },
    onSent,
    onHeaders(headers) {
      record.answerHeaders = headers;
    },
    onChange: (change) => record.adaptations.add(nameOf(change)),
  });
  if ('error' in opened) throw upstreamError(opened.error, opened.refusal);
  for (const id of opened.changes) record.adaptations.add(id);
  return opened;
}

/** Returns the headers of a client that mean something to a server of the same wire. */
function passedHeaders({ edge }: Wire, incoming: Incoming): Readonly<Record<string, string>> {
  const names = edge.passedHeaders ?? [];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = incoming.header(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Clients send a failed request again by themselves. */
const MAX_RETRIES = 1;

/**
 * Reports whether a request may be sent again after an error. A silent server may still be at work on the request, and
 * a wait that a server asks for is left to the client.
 */
function mayRepeat(error: ModelError): boolean {
  return !isTimeout(error) && error.retryAfterMs === undefined;
}

/**
 * Returns the wire to try first with a server that may speak any. Servers refuse or ignore tools that few servers know,
 * but accept them as functions, so a request with such tools goes over a wire that sends them as functions.
 */
function surestWire({ wire, body }: ClientRequest, wires: Wires): Wire {
  if (!wire.edge.hasRareTools(body)) return wire;
  return [...wires.values()].find(({ carries }) => !carries.customTools && !carries.namespaces) ?? wire;
}

function nameOf(change: RequestChange): string {
  return change.type === 'learned' ? change.lesson.reason : 'E9';
}
