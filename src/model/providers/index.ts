import { UserError } from '../../base/errors.ts';
import type { Provider, ProviderSettings } from '../../base/provider.ts';
import { redactUrl } from '../../base/redact-url.ts';
import { type Compat, DEFAULT_COMPAT } from '../../base/wire.ts';
import { ADDRESSES, HOSTED, MOVABLE, OWN_ADDRESSES } from './built-in.ts';

/** The providers that need no configuration. */
const PROVIDERS: Readonly<Record<string, ProviderSettings>> = {
  ...HOSTED,
  ...MOVABLE,
};

const DEFAULTS = { requestMaxRetries: 4, streamMaxRetries: 5, streamIdleTimeoutMs: 300_000 };
const MAX_RETRIES = 100;

/**
 * Returns the provider with an id: the user's table, over the built-in entry of the same name, over the defaults.
 * Throws `UserError` with the lines that are missing from the config file.
 */
export function findProvider(
  id: string,
  settings: Readonly<Record<string, ProviderSettings>>,
  overrides: ProviderOverrides = {},
): Provider {
  const user = own(settings, id);
  const builtIn = builtInFor(id, user);
  if (builtIn === undefined && user === undefined) throw unknownProvider(id, settings);
  const { textCalls = true } = overrides;
  const moved = id === 'openai' && overrides.openaiBaseUrl ? { baseUrl: overrides.openaiBaseUrl } : {};
  const { baseUrl, ...merged } = {
    name: id,
    wire: 'auto',
    openaiAuth: false,
    ...DEFAULTS,
    ...builtIn,
    ...user,
    ...moved,
  } as const;
  const address = checkedBaseUrl(id, baseUrl);
  return {
    ...merged,
    id,
    baseUrl: address,
    queryParams: { ...builtIn?.queryParams, ...user?.queryParams },
    headers: { ...builtIn?.headers, ...user?.headers },
    envHeaders: { ...builtIn?.envHeaders, ...user?.envHeaders },
    requestMaxRetries: capped(merged.requestMaxRetries),
    streamMaxRetries: capped(merged.streamMaxRetries),
    compat: {
      ...DEFAULT_COMPAT,
      ...compatAt(address),
      ...builtIn?.compat,
      ...user?.compat,
      ...(!textCalls && { textCalls }),
    },
  };
}

/** Returns the ids of all providers: the built-in ones and those of the user, in the order of the alphabet. */
export function providerIds(settings: Readonly<Record<string, ProviderSettings>>): string[] {
  return [...new Set([...Object.keys(PROVIDERS), ...Object.keys(settings)])].sort();
}

export function isBuiltIn(id: string): boolean {
  return Object.hasOwn(PROVIDERS, id);
}

/** Returns the form of a provider's address if every customer has another one. */
export function ownAddress(id: string): string | undefined {
  return own(OWN_ADDRESSES, id);
}

/** Built-in servers whose port hardly any other program uses, so that an answer there is theirs. */
const OWN_PORTS = ['lmstudio', 'ollama'];

/**
 * Returns the providers whose servers are on this machine and may be asked for their models: those with a port of their
 * own, those of the user, and the one that the user wants.
 */
export function localProviders(settings: Readonly<Record<string, ProviderSettings>>, wanted?: string): Provider[] {
  const named = wanted !== undefined && own(PROVIDERS, wanted) !== undefined ? [wanted] : [];
  const ids = new Set([...OWN_PORTS, ...named, ...Object.keys(settings)]);
  return [...ids]
    .filter((id) => (own(settings, id)?.baseUrl ?? own(PROVIDERS, id)?.baseUrl) !== undefined)
    .map((id) => findProvider(id, settings))
    .filter(isLocal);
}

/** Reports whether a provider's server is on this machine. */
export function isLocal({ baseUrl }: Provider): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
}

/** Reports whether a provider is OpenAI: the built-in entry, also at another address, or an address of OpenAI. */
export function isOpenAi({ id, baseUrl }: Provider): boolean {
  return id === 'openai' || /(^|\.)openai\.com$/.test(new URL(baseUrl).hostname);
}

/** Reports whether a provider is Anthropic, by its address. */
export function isAnthropic({ baseUrl }: Provider): boolean {
  return /(^|\.)anthropic\.com$/.test(new URL(baseUrl).hostname);
}

/** Settings for all providers. */
export interface ProviderOverrides {
  readonly openaiBaseUrl?: string | null;
  /** False if calls in texts never count. */
  readonly textCalls?: boolean;
}

function compatAt(address: string): Partial<Compat> {
  const host = `.${new URL(address).hostname}`;
  return ADDRESSES.find(([end]) => host.endsWith(`.${end}`))?.[1] ?? {};
}

/**
 * Returns the built-in entry for a user's table. A table for a hosted server with an address of its own may be older
 * than our entry, or may mean a proxy. It inherits neither key nor wire then.
 */
function builtInFor(id: string, user: ProviderSettings | undefined): ProviderSettings | undefined {
  const hosted = own(HOSTED, id);
  if (hosted === undefined || user?.baseUrl === undefined) return own(PROVIDERS, id);
  return hosted.compat === undefined ? {} : { compat: hosted.compat };
}

function own<T>(table: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(table, id) ? table[id] : undefined;
}

function unknownProvider(id: string, settings: Readonly<Record<string, ProviderSettings>>): UserError {
  const known = providerIds(settings).join(', ');
  if (id.trim() === '')
    return new UserError(
      'invalid_config',
      `The name of a model provider is empty. Write one of these, or leave the setting out: ${known}.`,
    );
  const variable =
    id
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replaceAll(/^_|_$/g, '') || 'MY';
  const lines = `${tableLines(id)}\nenv_key = "${variable}_API_KEY"`;
  return new UserError(
    'invalid_config',
    `Unknown model provider "${id}". Known: ${known}. To add it, write to config.toml:\n${lines}`,
  );
}

function tableLines(id: string): string {
  const key = /^[A-Za-z0-9_-]+$/.test(id) ? id : JSON.stringify(id);
  return `[model_providers.${key}]\nbase_url = "${own(OWN_ADDRESSES, id) ?? 'https://example.com/v1'}"`;
}

function checkedBaseUrl(id: string, baseUrl: string | undefined): string {
  const trimmed = baseUrl?.trim().replace(/\/+$/, '');
  if (!trimmed) {
    const why = Object.hasOwn(OWN_ADDRESSES, id) ? ', as every resource there has an address of its own' : '';
    throw new UserError(
      'invalid_config',
      `The model provider "${id}" has no base_url${why}. Write to config.toml:\n${tableLines(id)}`,
    );
  }
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) {
    throw new UserError(
      'invalid_config',
      `The base_url of the model provider "${id}" is not a web address: "${redactUrl(trimmed)}". It begins with http:// or https://.`,
    );
  }
  return trimmed;
}

function capped(retries: number): number {
  return Math.min(Math.max(Math.floor(retries), 0), MAX_RETRIES);
}
