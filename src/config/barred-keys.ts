import { isRecord } from '../base/json-schema.ts';
import { type Layer, lookup } from './layers.ts';

type Table = Readonly<Record<string, unknown>>;

/**
 * What a repository may not decide, trusted or not: where keys and threads are sent, which variables commands get
 * beyond the harmless ones, which programs start outside the sandbox, and whom the user trusts.
 */
const BARRED_KEYS = [
  ...['model_provider', 'model_providers', 'openai_base_url', 'chatgpt_base_url', 'experimental_realtime_ws_base_url'],
  ...['apps_mcp_product_sku', 'otel', 'shell_environment_policy.ignore_default_excludes'],
  ...['shell_environment_policy.set', 'mcp_servers', 'notify', 'hooks', 'profile', 'profiles', 'projects'],
  'gateway',
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
  const strip = (table: Table) => BARRED_KEYS.reduce((rest, key) => without(rest, key.split('.')), table);
  return { layers: layers.map((layer) => ({ ...layer, table: strip(layer.table) })), warnings };
}

function without(table: Table, [key = '', ...path]: readonly string[]): Table {
  if (!Object.hasOwn(table, key)) return table;
  const { [key]: value, ...rest } = table;
  if (path.length === 0) return rest;
  return { ...rest, [key]: isRecord(value) ? without(value, path) : value };
}
