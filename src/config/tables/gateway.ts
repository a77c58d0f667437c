import { isRecord } from '../../base/json-schema.ts';
import { type FoundSettings, wrongValue } from '../setting/layers.ts';
import type { Settings } from '../setting/settings-reader.ts';

/** `[gateway]`: where `oxbow gateway` listens and where it sends requests. */
export interface GatewayConfig {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Variables with the keys that clients must show one of. */
  readonly keyEnv: readonly string[];
  /** Who serves models that have no entry. Null: nobody was named, here or by `model_provider`. */
  readonly provider: string | null;
  /** What names that only Codex knows stand for: an entry of `models`, or a model of `provider`. */
  readonly model: string | null;
  /** Names that clients may ask for. */
  readonly models: Readonly<Record<string, ModelRoute>>;
  /** Whether clients take only the first call of a response. */
  readonly singleCall: boolean;
  /** Further names of these. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Null: the default of the gateway. */
  readonly limits: Readonly<Record<LimitName, number | null>>;
  readonly store: StoreSettings;
}

/** Who serves a model, and how it is called there. */
export interface ModelRoute {
  readonly provider: string;
  readonly model: string;
  /** Absent: as `single_call` of the table says. */
  readonly singleCall?: boolean;
}

type LimitName = 'maxBodyBytes' | 'maxExchanges' | 'maxExchangeMs' | 'idleTimeoutMs';

/** How long, and how much of, the responses that clients refer to are kept. */
interface StoreSettings {
  readonly ttlMs: number;
  readonly maxEntries: number;
  readonly maxBytes: number;
}

const TABLE = 'gateway';

/** Throws `UserError` for values that make no sense. */
export function readGateway(settings: Settings): GatewayConfig {
  const provider = settings.string(TABLE, 'provider');
  const count = (key: string) => settings.number(TABLE, key);
  return {
    host: settings.string(TABLE, 'host') ?? '127.0.0.1',
    port: readPort(settings),
    keyEnv: readKeyEnv(settings),
    provider: provider ?? settings.string('model_provider') ?? null,
    // The model of another provider would be unknown to this one.
    model: settings.string(TABLE, 'model') ?? (provider === undefined ? settings.string('model') : undefined) ?? null,
    models: readRoutes(settings),
    singleCall: settings.boolean(TABLE, 'single_call') ?? false,
    aliases: settings.stringTable(TABLE, 'aliases'),
    limits: {
      maxBodyBytes: count('max_body_bytes') ?? null,
      maxExchanges: count('max_exchanges') ?? null,
      maxExchangeMs: count('max_exchange_ms') ?? null,
      idleTimeoutMs: count('idle_timeout_ms') ?? null,
    },
    store: {
      ttlMs: count('store_ttl_ms') ?? 3_600_000,
      maxEntries: count('store_max_entries') ?? 1000,
      maxBytes: count('store_max_bytes') ?? 256 * 1024 * 1024,
    },
  };
}

const DEFAULT_PORT = 4141;
const LAST_PORT = 65_535;

function readPort(settings: Settings): number {
  const found = settings.found(TABLE, 'port');
  if (found === undefined) return DEFAULT_PORT;
  const { value } = found;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LAST_PORT) return value;
  throw wrongValue([TABLE, 'port'], `a whole number from 0 to ${LAST_PORT}`, found);
}

/** One name, or a list of them. */
function readKeyEnv(settings: Settings): readonly string[] {
  const value = settings.found(TABLE, 'key_env')?.value;
  return typeof value === 'string' ? [value] : (settings.strings(TABLE, 'key_env') ?? []);
}

function readRoutes(settings: Settings): Record<string, ModelRoute> {
  const routes = settings.keys(TABLE, 'models').flatMap((name) => {
    const found = settings.found(TABLE, 'models', name);
    return found === undefined ? [] : [[name, readRoute(settings, name, found)] as const];
  });
  return Object.fromEntries(routes);
}

/** `"provider/model"`, or a table with both; its model may have the same name. */
function readRoute(settings: Settings, name: string, found: FoundSettings): ModelRoute {
  const path = [TABLE, 'models', name] as const;
  const { value } = found;
  const route = isRecord(value)
    ? { provider: settings.string(...path, 'provider'), model: settings.string(...path, 'model') ?? name }
    : splitRoute(value);
  const singleCall = isRecord(value) ? settings.boolean(...path, 'single_call') : undefined;
  if (route.provider && route.model) {
    return { provider: route.provider, model: route.model, ...(singleCall !== undefined && { singleCall }) };
  }
  throw wrongValue(path, '"provider/model", or a table with `provider` and `model`', found);
}

/** The first slash counts: names of models may hold more of them. */
function splitRoute(value: unknown): { provider?: string; model?: string } {
  const text = typeof value === 'string' ? value : '';
  const slash = text.indexOf('/');
  return slash < 0 ? {} : { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}
