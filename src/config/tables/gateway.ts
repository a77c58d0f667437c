import { isRecord } from '../../base/json-schema.ts';
import { COUNT, checked, FLAG, type Kind, TEXT, TEXT_MAP, TEXTS } from '../setting/kinds.ts';
import { wrongValue } from '../setting/layers.ts';
import { readGiven, readTable, setting, type ValuesOf } from '../setting/setting.ts';
import type { SettingsReader } from '../setting/settings-reader.ts';
import { MODEL_SETTINGS } from './model.ts';

/** Provider that serves a model, and the name of the model there. */
export interface ModelRoute {
  readonly provider: string;
  readonly model: string;
  /** Absent: as `gateway.single_call` says. */
  readonly singleCall?: boolean;
}

const LAST_PORT = 65_535;
const PORT = checked(
  `a whole number from 0 to ${LAST_PORT}`,
  (value): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LAST_PORT,
);

/** A list of names, or one name. */
const NAMES: Kind<readonly string[]> = {
  expected: TEXTS.expected,
  read(reader, path) {
    const value = reader.found(path)?.value;
    return typeof value === 'string' ? [value] : TEXTS.read(reader, path);
  },
};

/** Fields of an entry of `gateway.models` that is a table. */
const ROUTE_SETTINGS = {
  provider: setting('gateway.models.*.provider', TEXT),
  model: setting('gateway.models.*.model', TEXT),
  singleCall: setting('gateway.models.*.single_call', FLAG),
};

const ROUTES: Kind<Readonly<Record<string, ModelRoute>>> = {
  expected: '"provider/model", or a table with `provider` and `model`',
  read(reader, path) {
    const routes = reader.keys(path).flatMap((name) => {
      const found = reader.found([...path, name]);
      if (found === undefined) return [];
      const route = isRecord(found.value) ? tableRoute(reader, name) : splitRoute(found.value);
      if (route?.provider && route.model) return [[name, route] as const];
      throw wrongValue([...path, name], ROUTES.expected, found);
    });
    return Object.fromEntries(routes);
  },
};

/** Reads a route that is a table. Without `model` the name stands for a model of the same name. */
function tableRoute(reader: SettingsReader, name: string): ModelRoute {
  const { provider = '', model = name, singleCall } = readGiven(ROUTE_SETTINGS, reader, name);
  return { provider, model, ...(singleCall !== undefined && { singleCall }) };
}

/** Splits `provider/model` at the first slash: the name of a model may have more of them. */
function splitRoute(value: unknown): ModelRoute | undefined {
  const text = typeof value === 'string' ? value : '';
  const slash = text.indexOf('/');
  return slash < 0 ? undefined : { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}

/**
 * Provider of the models that have no entry. Their names are sent as they are.
 * @default `model_provider`, if it is set
 */
const provider = setting('gateway.provider', TEXT, {
  default: (reader) => MODEL_SETTINGS.modelProvider.given(reader) ?? null,
});

export const GATEWAY_SETTINGS = {
  /** Address to listen on. Any address but those of this machine needs a key. */
  host: setting('gateway.host', TEXT, { default: '127.0.0.1' }),
  /** Port to listen on. 0 stands for any free port. */
  port: setting('gateway.port', PORT, { default: 4141 }),
  /** Variables with the keys that clients must show one of. One name is accepted too. */
  keyEnv: setting('gateway.key_env', NAMES, { default: [] }),
  provider,
  /**
   * Model for names that only clients know, such as `codex-auto-review` or `claude-haiku-4-5`: an entry of
   * `gateway.models`, or a model of `gateway.provider`.
   * @default `model`, unless `gateway.provider` is set
   */
  model: setting('gateway.model', TEXT, {
    // The model of another provider would be unknown to this one.
    default: (reader) => (provider.given(reader) === undefined ? (MODEL_SETTINGS.model.given(reader) ?? null) : null),
  }),
  /**
   * Whether clients read only the first call of a response. The server is asked for one call at a time, and further ones
   * are left out and reported as `single_call`. An entry of `gateway.models` may have a `single_call` of its own.
   */
  singleCall: setting('gateway.single_call', FLAG, { default: false }),
  /**
   * Provider and model behind a name that clients may ask for. In a table without `model` the model has the same name.
   */
  models: setting('gateway.models.*', ROUTES, { default: {} }),
  /** Entry of `gateway.models` that a further name stands for. */
  aliases: setting('gateway.aliases.*', TEXT_MAP, { default: {} }),
};

export const GATEWAY_LIMIT_SETTINGS = {
  /**
   * Size of the largest request.
   * @default 64 MiB
   */
  maxBodyBytes: setting('gateway.max_body_bytes', COUNT),
  /**
   * Size of all requests that the servers have not answered yet. Further ones wait up to 30 seconds.
   * @default 128 MiB
   */
  maxBodiesBytes: setting('gateway.max_bodies_bytes', COUNT),
  /**
   * Size of what is kept for all clients that are slow to read. Above it, those that waited longest are disconnected.
   * @default 256 MiB
   */
  maxAnswersBytes: setting('gateway.max_answers_bytes', COUNT),
  /**
   * Number of exchanges at the same time.
   * @default `10000`
   */
  maxExchanges: setting('gateway.max_exchanges', COUNT),
  /**
   * Milliseconds from a request to the end of its answer.
   * @default one hour
   */
  maxExchangeMs: setting('gateway.max_exchange_ms', COUNT),
  /**
   * Milliseconds without a byte from the server. A provider's `stream_idle_timeout_ms` may be shorter.
   * @default `300000`
   */
  idleTimeoutMs: setting('gateway.idle_timeout_ms', COUNT),
};

export const GATEWAY_STORE_SETTINGS = {
  /** Milliseconds for which a response is stored for `previous_response_id`. */
  ttlMs: setting('gateway.store_ttl_ms', COUNT, { default: 3_600_000 }),
  /** Number of responses that are stored. */
  maxEntries: setting('gateway.store_max_entries', COUNT, { default: 1000 }),
  /** Bytes of responses that are stored. */
  maxBytes: setting('gateway.store_max_bytes', COUNT, { default: 256 * 1024 * 1024 }),
};

/** `[gateway]`: the address of `oxbow gateway`, and the providers behind it. */
export interface GatewayConfig extends ValuesOf<typeof GATEWAY_SETTINGS> {
  /** Null: the default of the gateway. */
  readonly limits: ValuesOf<typeof GATEWAY_LIMIT_SETTINGS>;
  /** Limits on the responses that clients refer to. */
  readonly store: ValuesOf<typeof GATEWAY_STORE_SETTINGS>;
}

export function readGateway(reader: SettingsReader): GatewayConfig {
  return {
    ...readTable(GATEWAY_SETTINGS, reader),
    limits: readTable(GATEWAY_LIMIT_SETTINGS, reader),
    store: readTable(GATEWAY_STORE_SETTINGS, reader),
  };
}
