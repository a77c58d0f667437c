import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import { keyText } from './key-text.ts';
import { visibleValue } from './visible-value.ts';

/** One source of settings. The last of several layers that has a key wins. */
export interface Layer {
  /** Name for people: a file's path, `override model`, `options`. Holds no value, which could be a secret. */
  readonly origin: string;
  /** Folder where relative paths start. */
  readonly folder: string;
  readonly table: Readonly<Record<string, unknown>>;
}

export interface FoundValue {
  readonly value: unknown;
  readonly layer: Layer;
}

/**
 * Returns the value at a path from the highest layer that has one. Leaves are looked up one by one, so tables merge
 * deeply.
 */
export function lookup(layers: readonly Layer[], path: readonly string[]): FoundValue | undefined {
  for (let index = layers.length - 1; index >= 0; index--) {
    const layer = layers[index];
    const value = layer && valueAt(layer, path);
    if (layer && value !== undefined) return { value, layer };
  }
  return undefined;
}

/** Returns the keys that any layer has below a path. Throws `UserError` for a value that is not a table. */
export function keysBelow(layers: readonly Layer[], path: readonly string[]): string[] {
  const keys = layers.flatMap((layer) => {
    const value = valueAt(layer, path);
    if (value === undefined) return [];
    if (!isRecord(value)) throw wrongValue(path, 'a table', { value, layer });
    return Object.keys(value);
  });
  return [...new Set(keys)];
}

/** Returns the error for a value that is not accepted. Its message has the key, the value and the source. */
export function wrongValue(path: readonly string[], expected: string, { value, layer }: FoundValue): UserError {
  const text = JSON.stringify(visibleValue(path, value));
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return new UserError('invalid_config', `${keyText(path)} must be ${expected}, not ${shown} (${layer.origin}).`);
}

function valueAt(layer: Layer, path: readonly string[]): unknown {
  let value: unknown = layer.table;
  let depth = 0;
  for (const key of path) {
    if (!isRecord(value)) throw wrongValue(path.slice(0, depth), 'a table', { value, layer });
    if (!Object.hasOwn(value, key)) return undefined;
    value = value[key];
    depth += 1;
  }
  return value;
}
