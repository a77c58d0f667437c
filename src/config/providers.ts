import type { ProviderSettings } from '../base/provider.ts';
import type { Settings } from './read-settings.ts';

/** The `[model_providers.x]` tables, by id. */
export function readProviders(settings: Settings): Record<string, ProviderSettings> {
  return Object.fromEntries(settings.keys('model_providers').map((id) => [id, readProvider(settings, id)]));
}

function readProvider(settings: Settings, id: string): ProviderSettings {
  const at = (key: string) => ['model_providers', id, key] as const;
  const instructions = settings.oneOf(['field', 'item'], 'model_providers', id, 'compat', 'instructions');
  const parallelToolCalls = settings.boolean('model_providers', id, 'compat', 'parallel_tool_calls');
  return given({
    name: settings.string(...at('name')),
    baseUrl: settings.string(...at('base_url')),
    wire: settings.oneOf(['responses', 'chat', 'auto'], ...at('wire_api')),
    envKey: settings.string(...at('env_key')),
    envKeyInstructions: settings.string(...at('env_key_instructions')),
    bearerToken: settings.string(...at('experimental_bearer_token')),
    openaiAuth: settings.boolean(...at('requires_openai_auth')),
    queryParams: settings.stringTable(...at('query_params')),
    headers: settings.stringTable(...at('http_headers')),
    envHeaders: settings.stringTable(...at('env_http_headers')),
    requestMaxRetries: settings.number(...at('request_max_retries')),
    streamMaxRetries: settings.number(...at('stream_max_retries')),
    streamIdleTimeoutMs: settings.number(...at('stream_idle_timeout_ms')),
    compat: given({ instructions, parallelToolCalls }),
  });
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that were set: an absent setting must not shadow a built-in one. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
