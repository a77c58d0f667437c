import { type Layer, lookup } from './setting/layers.ts';
import { withoutKey } from './without-key.ts';

/**
 * Keys that a repository may not set, trusted or not, by the reason. The reason is a sentence whose subject is the key.
 */
export const BARRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'says where keys and threads are sent': [
    ...['model_provider', 'model_providers', 'openai_base_url', 'chatgpt_base_url', 'offline'],
    ...['account', 'auth', 'cli_auth_credentials_store', 'forced_login_method', 'forced_chatgpt_workspace_id'],
    ...['experimental_realtime_ws_base_url', 'apps_mcp_product_sku', 'otel'],
    ...['response_storage', 'disable_response_storage', 'originator', 'user_agent'],
    ...['mcp_oauth_callback_port', 'mcp_oauth_callback_url', 'mcp_oauth_credentials_store'],
  ],
  'lets commands have secrets, or steers the programs they start': [
    ...['ignore_default_excludes', 'keep', 'set'].map((key) => `shell_environment_policy.${key}`),
  ],
  'starts programs outside the sandbox': ['mcp_servers', 'notify', 'hooks', 'tools.web_search.command'],
  'widens what is trusted': ['profile', 'profiles', 'projects'],
  'says who may use your keys, and where requests go': ['gateway'],
  'says which commands run outside the sandbox': ['rules'],
  'says how commands are confined': ['sandbox_backend'],
  'says what can be restored, and how much of your disk that may take': ['snapshots'],
  'says which of your texts are kept': ['history'],
  'says what your terminal shows, and what its keys do': ['tui'],
  'says which missing guards you know of': ['ignored_keys', 'features.hooks', 'features.codex_hooks'],
  'says when a limit on the cost is reached': ['model_prices'],
};

const KEYS = Object.values(BARRED_KEYS).flat();

/** Returns the layers of a project without the keys that it may not set, and a warning for each key that was removed. */
export function withoutBarredKeys(
  layers: readonly Layer[],
  userFile: string,
): { readonly layers: Layer[]; readonly warnings: string[] } {
  const warnings = KEYS.flatMap((key) => {
    const files = layers.filter((layer) => lookup([layer], key.split('.')) !== undefined).map(({ origin }) => origin);
    if (files.length === 0) return [];
    return [`${key} in ${files.join(' and ')} was ignored: a project may not set it. Set it in ${userFile}.`];
  });
  const strip = (table: Layer['table']) => KEYS.reduce((rest, key) => withoutKey(rest, key.split('.')), table);
  return { layers: layers.map((layer) => ({ ...layer, table: strip(layer.table) })), warnings };
}
