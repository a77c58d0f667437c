import type { ProviderSettings } from '../../base/provider.ts';
import type { Compat } from '../../base/wire.ts';
import type { Settings } from '../setting/settings-reader.ts';

/** The `[model_providers.x]` tables, by id. */
export function readProviders(settings: Settings): Record<string, ProviderSettings> {
  return Object.fromEntries(settings.keys('model_providers').map((id) => [id, readProvider(settings, id)]));
}

function readProvider(settings: Settings, id: string): ProviderSettings {
  const at = (key: string) => ['model_providers', id, key] as const;
  return given({
    name: settings.string(...at('name')),
    baseUrl: settings.string(...at('base_url')),
    wire: settings.string(...at('wire_api')),
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
    compat: readCompat(settings, id),
  });
}

function readCompat(settings: Settings, id: string): Partial<Compat> {
  const at = (key: string) => ['model_providers', id, 'compat', key] as const;
  return given({
    instructions: settings.oneOf(['field', 'item'], ...at('instructions')),
    parallelToolCalls: settings.boolean(...at('parallel_tool_calls')),
    thinking: settings.oneOf(['tags', 'open', 'text'], ...at('thinking')),
    textCalls: settings.boolean(...at('text_calls')),
    htmlEntities: settings.boolean(...at('html_entities')),
    callIds: settings.oneOf(['any', 'nine'], ...at('call_ids')),
    sendReasoning: settings.oneOf(['turn', 'all', 'none'], ...at('send_reasoning')),
    developerRole: settings.oneOf(['developer', 'system'], ...at('developer_role')),
    systemMessages: settings.oneOf(['any', 'one'], ...at('system_messages')),
    alternateRoles: settings.boolean(...at('alternate_roles')),
    dropFields: settings.strings(...at('drop_fields')),
    maxTokens: settings.oneOf(['as_sent', 'max_tokens', 'max_completion_tokens'], ...at('max_tokens')),
    toolChoice: settings.oneOf(['any', 'auto', 'omit'], ...at('tool_choice')),
    toolOrder: settings.oneOf(['as_sent', 'strict'], ...at('tool_order')),
    emptyContent: settings.oneOf(['as_sent', 'null', 'empty', 'omit', 'space'], ...at('empty_content')),
    toolImages:
      settings.oneOf(['as_sent', 'user'], ...at('tool_images')) ??
      placeOfImages(settings.boolean(...at('output_images'))),
    schemas: settings.someOf(['typed_branches', 'plain', 'no_patterns'], ...at('schemas')),
    toolNames: settings.oneOf(['any', 'plain'], ...at('tool_names')),
    maxStops: settings.number(...at('max_stops')),
    toolOutput: settings.oneOf(['plain', 'object'], ...at('tool_output')),
  });
}

/** `output_images` asks the same as `tool_images`, with yes or no. */
function placeOfImages(inOutputs: boolean | undefined): Compat['toolImages'] | undefined {
  return inOutputs === undefined ? undefined : inOutputs ? 'as_sent' : 'user';
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that were set: an absent setting must not shadow a built-in one. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
