import { isRecord } from '../base/json-schema.ts';
import { type Layer, lookup } from './setting/layers.ts';

/** Settings that features of Codex stand for, by the value of the feature. A feature that is removed has no other meaning. */
const FEATURES: readonly {
  readonly feature: string;
  readonly is: boolean;
  readonly key: readonly string[];
  readonly value: unknown;
}[] = [
  { feature: 'shell_tool', is: false, key: ['tools', 'command'], value: 'none' },
  { feature: 'view_image', is: false, key: ['tools', 'view_image'], value: false },
  { feature: 'web_search_request', is: true, key: ['web_search'], value: 'live' },
  { feature: 'web_search_cached', is: true, key: ['web_search'], value: 'cached' },
];

/**
 * Returns a layer in which `tools.web_search = true` is a table with `enabled`, so that the tables of several layers can be
 * read key by key, and in which features of Codex are the settings that they stand for.
 */
export function expandShorthand(layer: Layer): Layer {
  const { tools } = layer.table;
  if (!isRecord(tools) || typeof tools.web_search !== 'boolean') return withFeatures(layer);
  const table = { ...layer.table, tools: { ...tools, web_search: { enabled: tools.web_search } } };
  return withFeatures({ ...layer, table });
}

function withFeatures(layer: Layer): Layer {
  let { table } = layer;
  for (const { feature, is, key, value } of FEATURES) {
    const { features } = table;
    if (!isRecord(features) || features[feature] !== is) continue;
    const { [feature]: _, ...others } = features;
    // A setting of ours in the same place beats the feature.
    const isSet = lookup([{ ...layer, table }], key) !== undefined;
    table = { ...(isSet ? table : withValue(table, key, value)), features: others };
  }
  return table === layer.table ? layer : { ...layer, table };
}

function withValue(table: Layer['table'], [name = '', ...rest]: readonly string[], value: unknown): Layer['table'] {
  const inner = table[name];
  return { ...table, [name]: rest.length === 0 ? value : withValue(isRecord(inner) ? inner : {}, rest, value) };
}
