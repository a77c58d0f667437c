import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import { keyText } from './key-text.ts';
import { visibleValue } from './visible-value.ts';

/** One source of settings. Of several layers the last that says something about a key wins. */
export interface Layer {
  /** For people: a file's path, `override model`, `options`. Holds no value, which could be a secret. */
  readonly origin: string;
  /** Where relative paths in it start. */
  readonly folder: string;
  readonly table: Readonly<Record<string, unknown>>;
}

export interface FoundSettings {
  readonly value: unknown;
  readonly layer: Layer;
}

/** The value at a path, from the highest layer that has one. Leaves are looked up one by one, so tables merge deeply. */
export function lookup(layers: readonly Layer[], path: readonly string[]): FoundSettings | undefined {
  for (const layer of layers.toReversed()) {
    const value = valueAt(layer, path);
    if (value !== undefined) return { value, layer };
  }
  return undefined;
}

/** The keys that any layer has below a path. */
export function keysBelow(layers: readonly Layer[], path: readonly string[]): string[] {
  const keys = layers.flatMap((layer) => {
    const value = valueAt(layer, path);
    if (value === undefined) return [];
    if (!isRecord(value)) throw wrongValue(path, 'a table', { value, layer });
    return Object.keys(value);
  });
  return [...new Set(keys)];
}

/** What to throw for a value that makes no sense: names the key, the value and where it stands. */
export function wrongValue(path: readonly string[], expected: string, { value, layer }: FoundSettings): UserError {
  const text = JSON.stringify(visibleValue(path, value));
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return new UserError('invalid_config', `${keyText(path)} must be ${expected}, not ${shown} (${layer.origin}).`);
}

function valueAt(layer: Layer, path: readonly string[]): unknown {
  let value: unknown = layer.table;
  for (const [depth, key] of path.entries()) {
    if (!isRecord(value)) throw wrongValue(path.slice(0, depth), 'a table', { value, layer });
    if (!Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}
