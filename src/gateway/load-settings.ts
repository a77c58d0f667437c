import { createCredentials } from '../auth/credentials.ts';
import { UserError } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';
import type { Provider } from '../base/provider.ts';
import { redactUrl } from '../base/redact-url.ts';
import type { WireName } from '../base/wire.ts';
import type { Config } from '../config/load-config.ts';
import type { GatewayConfig, ModelRoute } from '../config/tables/gateway.ts';
import { assertWires } from '../model/providers/assert-wires.ts';
import { findProvider } from '../model/providers/index.ts';
import { basePathOf, WIRE_NAMES, withoutWirePath } from '../wire/registry.ts';
import { createTargets } from './create-targets.ts';
import type { GatewayOptions, GatewaySettings } from './gateway.ts';
import { DEFAULT_LIMITS, type GatewayLimits } from './limits.ts';
import type { Target, Targets } from './target.ts';

/** A server that is not in the configuration. It gets every request. */
export interface Upstream {
  /** The server's base URL. A URL without a path gets the usual one of the wire, such as `/v1`. */
  readonly url: string;
  /** The wire that the server speaks. By default the gateway finds out. */
  readonly wire?: 'auto' | WireName;
  /** The variable with the server's key. */
  readonly keyEnv?: string;
  /** The model for names that only clients know, such as those of Codex. Without it the only model of the server. */
  readonly model?: string;
}

/** A provider that gets every request, regardless of `[gateway]`. */
export interface UpstreamProvider {
  /** Its id. */
  readonly provider: string;
  /** The model for names that only clients know. */
  readonly model?: string;
}

/** Everything that a gateway needs from a configuration: its settings, and where keys come from. */
export interface LoadedSettings extends GatewaySettings, Pick<GatewayOptions, 'credentials' | 'env'> {}

/** Throws `UserError` with a sentence that says what to set. */
export function loadSettings(
  config: Config,
  { upstream }: { readonly upstream?: Upstream | UpstreamProvider | undefined } = {},
): LoadedSettings {
  const { gateway, env } = config;
  const clientKeys = gateway.keyEnv.map((name) => keyIn(name, config));
  if (clientKeys.length === 0 && !isLoopback(gateway.host)) throw openToOthers(gateway.host);
  const keys = createCredentials(config);
  return {
    targets: upstream === undefined ? configuredTargets(config) : upstreamTargets(upstream, config),
    limits: limitsOf(gateway),
    clientKeys,
    credentials: keys.of,
    env,
  };
}

/** Returns the key in a variable. There is no default: a variable that is not set must not open the gateway. */
function keyIn(name: string, { env }: Config): string {
  const key = env[name]?.trim();
  if (key) return key;
  throw new UserError(
    'invalid_config',
    `The variable ${name} is not set or empty. It must hold the key that clients of the gateway show.`,
  );
}

function openToOthers(host: string): UserError {
  const why = `Without a key the gateway listens on this machine only, not on ${host}.`;
  const advice = 'Put a key into a variable and name it: key_env = "NAME" in [gateway] of config.toml.';
  return new UserError('invalid_config', `${why} ${advice}`, { remedy: { type: 'name_gateway_key' } });
}

function limitsOf({ limits }: GatewayConfig): GatewayLimits {
  const set = Object.entries(limits).filter(([, value]) => value !== null);
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(set) };
}

function upstreamTargets(upstream: Upstream | UpstreamProvider, config: Config): Targets {
  const { model } = upstream;
  const provider = 'url' in upstream ? serverAt(upstream, config) : namedProvider(upstream.provider, config);
  return createTargets({
    facts: config.models,
    routes: new Map(),
    aliases: new Map(),
    provider,
    fallback: model === undefined ? undefined : { provider, model },
    singleCall: config.gateway.singleCall,
  });
}

function namedProvider(id: string, config: Config): Provider {
  assertWires(config.modelProviders);
  return findProvider(id, config.modelProviders, config);
}

function serverAt({ url, wire = 'auto', keyEnv }: Upstream, { env, textCalls }: Config): Provider {
  if (keyEnv !== undefined && !env[keyEnv]?.trim()) {
    throw new UserError(
      'invalid_config',
      `The variable ${keyEnv} is not set or empty. It must hold the key of ${redactUrl(url)}.`,
    );
  }
  if (wire !== 'auto' && !WIRE_NAMES.includes(wire)) throw unknownWire(wire, url);
  const baseUrl = baseUrlOf(url, wire);
  const name = new URL(baseUrl).host;
  const settings = { name, baseUrl, wire, ...(keyEnv === undefined ? {} : { envKey: keyEnv }) };
  return findProvider('upstream', { upstream: settings }, { textCalls });
}

function unknownWire(wire: WireName, url: string): UserError {
  const said = `There is no wire "${wire}" for the server at ${redactUrl(url)}.`;
  const advice = `Choose one of: ${['auto', ...WIRE_NAMES].join(', ')}.`;
  return new UserError('invalid_config', `${said} ${advice}`, { remedy: { type: 'choose_wire' } });
}

/** Returns the base URL for the address of a server, its base URL, or a path below that. People write any of them. */
function baseUrlOf(text: string, wire: 'auto' | WireName): string {
  const trimmed = text.trim();
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  // A bare word that does not name this machine is more likely a slip or the id of a provider.
  const isAddress = url === trimmed || /[.:/]|^localhost$/i.test(trimmed);
  if (!isAddress || !/^https?:/i.test(url) || !URL.canParse(url)) {
    throw new UserError(
      'invalid_config',
      `"${redactUrl(text)}" is not a web address. It should look like http://localhost:8000/v1.`,
      { remedy: { type: 'name_upstream' } },
    );
  }
  const address = url.replace(/\/+$/, '');
  const base = withoutWirePath(address).replace(/\/models$/, '');
  return new URL(base).pathname === '/' ? `${base}${basePathOf(wire)}` : base;
}

function configuredTargets(config: Config): Targets {
  const { provider, model, models, aliases } = config.gateway;
  const find = (id: string) => namedProvider(id, config);
  const toTarget = ({ provider: id, ...route }: ModelRoute): Target => ({ ...route, provider: find(id) });
  const routes = new Map(Object.entries(models).map(([name, route]) => [name, toTarget(route)]));
  if (provider === null && routes.size === 0)
    throw new UserError('invalid_config', NO_TARGET, { remedy: { type: 'name_upstream' } });
  const standard = provider === null ? undefined : find(provider);
  return createTargets({
    facts: config.models,
    routes,
    aliases: new Map(Object.entries(aliases)),
    provider: standard,
    fallback: fallbackOf(routes, standard, model),
    singleCall: config.gateway.singleCall,
  });
}

const NO_TARGET =
  'The gateway has nowhere to send requests. Name a provider in config.toml, such as model_provider = "ollama".';

/** Returns the target for names that only clients know: the configured model, or else the only one there is. */
function fallbackOf(
  routes: ReadonlyMap<string, Target>,
  provider: Provider | undefined,
  model: string | null,
): Target | undefined {
  const route = model === null ? undefined : routes.get(model);
  if (route !== undefined) return route;
  if (provider !== undefined) return model === null ? undefined : { provider, model };
  const [only, ...others] = routes.values();
  return others.length === 0 ? only : undefined;
}
