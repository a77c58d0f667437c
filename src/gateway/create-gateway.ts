import { bearerKey, isKnownKey } from '../auth/known-key.ts';
import { createServerMemory, type ServerMemory } from '../model/server-memory.ts';
import { asClientError, ClientError } from '../wire/edge/client-error.ts';
import type { Wire } from '../wire/edge/wire.ts';
import { loadWires, type Wires } from '../wire/registry.ts';
import type { ExchangeParts } from './exchange/exchange.ts';
import { readBody } from './exchange/read-request.ts';
import { runExchange } from './exchange/run-exchange.ts';
import { createTargetFinder, type FindTarget } from './find-target.ts';
import type { Gateway, GatewayOptions, GatewaySettings } from './gateway.ts';
import { answerOther } from './routes/answer-other.ts';
import { createRouter, type Route, type Router } from './routes/route.ts';
import { type AnswerRoom, createAnswerRoom } from './server/answer-room.ts';
import { type BodyRoom, createBodyRoom } from './server/body-room.ts';
import type { Incoming, Outgoing } from './server/client-io.ts';
import { fetchIo } from './server/fetch-io.ts';
import { nodeIo } from './server/node-io.ts';
import { sendError } from './server/send-json.ts';
import { createTimers, type Timers } from './server/timers.ts';
import { openUpstreamHttp } from './upstream-http.ts';

/** Returns a gateway for any server that speaks HTTP. The gateway itself does not listen. */
export function createGateway(options: GatewayOptions): Gateway {
  const { http, close } = openUpstreamHttp(options);
  const wires = loadWires();
  const core: Core = {
    options,
    http,
    memory: createServerMemory(),
    timers: createTimers(),
    bodyRoom: createBodyRoom(),
    answerRoom: createAnswerRoom(),
    findTarget: createTargetFinder({ ...options, http, wires }),
    routing: undefined,
    routingLater: wires.then((loaded) => (core.routing = { wires: loaded, findRoute: createRouter(loaded) })),
    settings: options,
    parts: undefined,
    running: 0,
    draining: false,
    onIdle: () => {},
  };
  return {
    handle(request, response) {
      const { incoming, outgoing } = nodeIo(request, response);
      serve(core, incoming, outgoing);
    },
    fetch(request) {
      const { incoming, outgoing, response } = fetchIo(request);
      serve(core, incoming, outgoing);
      return response;
    },
    serve: (incoming, outgoing) => serve(core, incoming, outgoing),
    reload({ targets, limits, clientKeys }) {
      core.settings = { targets, limits, clientKeys };
      core.parts = undefined;
    },
    async drain(timeoutMs) {
      await drain(core, timeoutMs);
      // Exchanges that outlast the timeout keep their connections.
      if (core.running === 0) await close();
    },
  };
}

interface ClientIo {
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
}

interface Core {
  readonly options: GatewayOptions;
  readonly http: NonNullable<GatewayOptions['http']>;
  readonly memory: ServerMemory;
  readonly timers: Timers;
  readonly bodyRoom: BodyRoom;
  readonly answerRoom: AnswerRoom;
  readonly findTarget: FindTarget;
  /** Undefined until the wires are loaded. */
  routing: Routing | undefined;
  readonly routingLater: Promise<Routing>;
  settings: GatewaySettings;
  /** The parts of all exchanges under these settings. Undefined until the first one. */
  parts: ExchangeParts | undefined;
  /** Number of exchanges that are under way. */
  running: number;
  draining: boolean;
  onIdle: () => void;
}

interface Routing {
  readonly wires: Wires;
  readonly findRoute: Router;
}

function serve(core: Core, incoming: Incoming, outgoing: Outgoing): void {
  serveRoute(core, { incoming, outgoing }).catch((error: unknown) => sendError(outgoing, asClientError(error)));
}

async function serveRoute(core: Core, { incoming, outgoing }: ClientIo): Promise<void> {
  const { wires, findRoute } = core.routing ?? (await core.routingLater);
  let route: Route;
  try {
    route = findRoute(incoming.method, incoming.path);
  } catch (error) {
    sendError(outgoing, asClientError(error), edgeOf(wires, incoming));
    return;
  }
  if (route.type === 'exchange') await exchange(core, { wire: route.wire, wires }, { incoming, outgoing });
  else await answer(core, { route, wires }, { incoming, outgoing });
}

/** Returns the edge of the client's wire, for paths that several wires share. Undefined for most clients. */
function edgeOf(wires: Wires, incoming: Incoming): Wire['edge'] | undefined {
  for (const { edge } of wires.values()) if (edge.isClient?.((name) => incoming.header(name))) return edge;
  return undefined;
}

/** Answers a request that is not for a model. */
async function answer(
  core: Core,
  { route, wires }: { readonly route: Exclude<Route, { type: 'exchange' }>; readonly wires: Wires },
  { incoming, outgoing }: ClientIo,
): Promise<void> {
  const { options, settings, http, draining } = core;
  const edge = route.type === 'own' ? route.wire.edge : edgeOf(wires, incoming);
  try {
    if (route.type !== 'health') assertKey(incoming, settings);
    const { maxBodyBytes, maxExchangeMs } = settings.limits;
    await answerOther(route, outgoing, {
      ...options,
      ...settings,
      http,
      wires,
      edge,
      draining,
      metrics: () => options.metrics(core.running),
      findTarget: (name) => core.findTarget(settings.targets, name),
      query: incoming.query,
      async body() {
        const limit = core.timers.startTimeLimit(incoming, maxExchangeMs);
        try {
          return (await readBody(incoming, { maxBytes: maxBodyBytes, signal: limit.signal })).body;
        } finally {
          limit.stop();
        }
      },
    });
  } catch (error) {
    sendError(outgoing, asClientError(error), edge);
  }
}

async function exchange(
  core: Core,
  { wire, wires }: { readonly wire: Wire; readonly wires: Wires },
  io: ClientIo,
): Promise<void> {
  core.running++;
  try {
    core.parts ??= exchangeParts(core, wires);
    await runExchange(wire, io, core.parts);
  } catch {
    io.outgoing.abort();
  } finally {
    core.running--;
    if (core.running === 0) core.onIdle();
  }
}

function exchangeParts(core: Core, wires: Wires): ExchangeParts {
  const { http, memory, timers, bodyRoom, answerRoom, settings } = core;
  const { credentials, env, world, store, onReport, onQuirk } = core.options;
  return {
    credentials,
    env,
    world,
    store,
    onReport,
    onQuirk,
    http,
    memory,
    timers,
    bodyRoom,
    answerRoom,
    wires,
    settings,
    findTarget: (name: string) => core.findTarget(settings.targets, name),
    admit(incoming) {
      assertKey(incoming, settings);
      if (core.draining) throw busy('The gateway is about to stop. Try again in a moment.');
      if (core.running > settings.limits.maxExchanges) {
        throw busy('The gateway has as many exchanges as it accepts at once. Try again in a moment.');
      }
    },
    isQuiet: () => core.running <= MOST_IN_QUIET,
  };
}

const MOST_IN_QUIET = 4;

function assertKey(incoming: Incoming, { clientKeys }: GatewaySettings): void {
  if (hasClientKey(incoming, clientKeys)) return;
  throw new ClientError('The request shows no key that this gateway knows. Send one as Authorization: Bearer KEY.', {
    status: 401,
    code: 'invalid_api_key',
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** Reports whether a request shows one of the keys. Without keys all do. */
function hasClientKey(incoming: Pick<Incoming, 'header'>, keys: readonly string[]): boolean {
  if (keys.length === 0) return true;
  return isKnownKey(bearerKey(incoming.header('authorization')) ?? incoming.header('x-api-key')?.trim() ?? '', keys);
}

function busy(message: string): ClientError {
  return new ClientError(message, { status: 503, code: 'server_is_overloaded', retryAfterMs: 1000 });
}

function drain(core: Core, timeoutMs: number): Promise<void> {
  core.draining = true;
  if (core.running === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    core.onIdle = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
