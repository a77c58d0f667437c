import { isRecord } from '../base/json-schema.ts';
import type { Layer } from './setting/layers.ts';

/**
 * Returns a layer in which `tools.web_search = true` is a table with `enabled`. The tables of several layers can then
 * be read key by key.
 */
export function expandShorthand(layer: Layer): Layer {
  const { tools } = layer.table;
  if (!isRecord(tools) || typeof tools.web_search !== 'boolean') return layer;
  const table = { ...layer.table, tools: { ...tools, web_search: { enabled: tools.web_search } } };
  return { ...layer, table };
}
