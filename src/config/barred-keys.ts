import { type Layer, lookup } from './setting/layers.ts';
import { withoutKey } from './without-key.ts';

/**
 * What a repository may not decide, trusted or not: where keys and threads are sent, which variables commands get
 * beyond the harmless ones, which programs start outside the sandbox, whom the user trusts, which rules hold, and
 * what can be taken back.
 */
const BARRED_KEYS = [
  ...['model_provider', 'model_providers', 'openai_base_url', 'chatgpt_base_url', 'experimental_realtime_ws_base_url'],
  ...['apps_mcp_product_sku', 'otel', 'shell_environment_policy.ignore_default_excludes'],
  ...['shell_environment_policy.set', 'mcp_servers', 'notify', 'hooks', 'profile', 'profiles', 'projects'],
  ...['gateway', 'rules', 'tools.web_search.command', 'snapshots', 'model_prices'],
];

/** The layers of a project without what they may not set, and a warning for each key that was taken out. */
export function withoutBarredKeys(
  layers: readonly Layer[],
  userFile: string,
): { readonly layers: Layer[]; readonly warnings: string[] } {
  const warnings = BARRED_KEYS.flatMap((key) => {
    const files = layers.filter((layer) => lookup([layer], key.split('.')) !== undefined).map(({ origin }) => origin);
    if (files.length === 0) return [];
    return [`${key} in ${files.join(' and ')} was ignored: a project may not set it. Set it in ${userFile}.`];
  });
  const strip = (table: Layer['table']) => BARRED_KEYS.reduce((rest, key) => withoutKey(rest, key.split('.')), table);
  return { layers: layers.map((layer) => ({ ...layer, table: strip(layer.table) })), warnings };
}
