import { UserError } from '../../base/errors.ts';
import type { ProviderSettings } from '../../base/provider.ts';
import { keyText } from '../setting/key-text.ts';
import { COUNT, FILE, FLAG, TEXT, TEXT_MAP, TEXTS } from '../setting/kinds.ts';
import { readGiven, setting } from '../setting/setting.ts';
import type { SettingsReader } from '../setting/settings-reader.ts';
import { readCompat } from './compat.ts';

export const PROVIDER_SETTINGS = {
  /**
   * Name of the provider, for people.
   * @default its id
   */
  name: setting('model_providers.*.name', TEXT),
  /** Address of the server, such as `http://localhost:8000/v1`. */
  baseUrl: setting('model_providers.*.base_url', TEXT),
  /**
   * [Protocol](providers.md#wires) of the server: `responses`, `chat`, `messages` or `ollama`. `auto` finds out.
   * @default `auto`
   */
  wire: setting('model_providers.*.wire_api', TEXT),
  /** Variable with the key. Leave it out for servers without a key. The header of the key depends on the wire. */
  envKey: setting('model_providers.*.env_key', TEXT),
  /** Advice for users who have not set that variable. */
  envKeyInstructions: setting('model_providers.*.env_key_instructions', TEXT),
  /** A token that goes out as `Authorization: Bearer`, whatever the wire. Better use `env_key`. */
  bearerToken: setting('model_providers.*.experimental_bearer_token', TEXT),
  /**
   * Whether the server gets the key of OpenAI.
   * @default `false`
   */
  openaiAuth: setting('model_providers.*.requires_openai_auth', FLAG),
  /** Parameter of every URL, such as `query_params = { "api-version" = "2025-04-01" }`. */
  queryParams: setting('model_providers.*.query_params.*', TEXT_MAP, { default: {} }),
  /** Header of every request, such as `http_headers = { "X-Team" = "tools" }`. */
  headers: setting('model_providers.*.http_headers.*', TEXT_MAP, { default: {} }),
  /** Variable with the value of a header, such as `env_http_headers = { "X-Trace" = "TRACE_ID" }`. */
  envHeaders: setting('model_providers.*.env_http_headers.*', TEXT_MAP, { default: {} }),
  /** File with the certificate that requests show to the server, in PEM form ([more](network.md#certificates)). */
  clientCertificate: setting('model_providers.*.client_certificate', FILE),
  /**
   * File with the key of that certificate, in PEM form.
   * @default the file of the certificate
   */
  clientKey: setting('model_providers.*.client_key', FILE),
  /**
   * Number of times that a request is repeated after a failed connection or a status of 500 and above. The larger of this
   * setting and `stream_max_retries` limits both together.
   * @default `4`
   */
  requestMaxRetries: setting('model_providers.*.request_max_retries', COUNT),
  /**
   * Number of times that a response that broke off is asked for again.
   * @default `5`
   */
  streamMaxRetries: setting('model_providers.*.stream_max_retries', COUNT),
  /**
   * Milliseconds without a byte after which a request or a response counts as failed.
   * @default `300000`
   */
  streamIdleTimeoutMs: setting('model_providers.*.stream_idle_timeout_ms', COUNT),
};

export const PROVIDER_AUTH_SETTINGS = {
  /** Program that prints the key of the provider, instead of `env_key`. It runs without a shell, [outside the sandbox](#keys). */
  command: setting('model_providers.*.auth.command', TEXT),
  /** Arguments of the program. */
  args: setting('model_providers.*.auth.args', TEXTS, { default: [] }),
  /**
   * Working folder of the program.
   * @default the folder of the file that names the program
   */
  cwd: setting('model_providers.*.auth.cwd', FILE),
  /**
   * Milliseconds that the program may take.
   * @default `5000`
   */
  timeoutMs: setting('model_providers.*.auth.timeout_ms', COUNT),
  /**
   * Milliseconds after which the program runs again. `0`: only when the server refuses the key.
   * @default `300000`
   */
  refreshIntervalMs: setting('model_providers.*.auth.refresh_interval_ms', COUNT),
};

/** Settings of providers by their ids. */
export type ModelProviders = Readonly<Record<string, ProviderSettings>>;

/** Reads the `[model_providers.ID]` tables. */
export function readProviders(reader: SettingsReader): ModelProviders {
  const ids = reader.keys(['model_providers']);
  return Object.fromEntries(
    ids.map((id) => [
      id,
      { ...readGiven(PROVIDER_SETTINGS, reader, id), ...readAuth(reader, id), compat: readCompat(reader, id) },
    ]),
  );
}

const TIMEOUT_MS = 5000;
const REFRESH_MS = 300_000;

/** Keys that say in another way where the key of a provider comes from. */
const OTHER_KEYS = ['env_key', 'experimental_bearer_token', 'requires_openai_auth'];

function readAuth(reader: SettingsReader, id: string): Pick<ProviderSettings, 'auth'> {
  const table = ['model_providers', id];
  const given = readGiven(PROVIDER_AUTH_SETTINGS, reader, id);
  if (Object.keys(given).length === 0) return {};
  const wrong = (what: string) => new UserError('invalid_config', `[${keyText([...table, 'auth'])}] ${what}`);
  const other = OTHER_KEYS.find((key) => (reader.found([...table, key])?.value ?? false) !== false);
  if (other !== undefined) throw wrong(`and ${other} both say where the key comes from. Remove one of the two.`);
  const { command = '', args = [], timeoutMs = TIMEOUT_MS, refreshIntervalMs = REFRESH_MS } = given;
  if (command.trim() === '') throw wrong('has no command. Name the program that prints the key.');
  const cwd = given.cwd ?? reader.found([...table, 'auth', 'command'])?.layer.folder;
  return { auth: { command, args, timeoutMs, refreshIntervalMs, ...(cwd !== undefined && { cwd }) } };
}
