import { isRecord } from '../base/json-schema.ts';

/** One source of settings. Of several layers the last that says something about a key wins. */
export interface Layer {
  /** For people: a file's path, `-c`, `--model`. */
  readonly origin: string;
  readonly table: Readonly<Record<string, unknown>>;
}

export interface Found {
  readonly value: unknown;
  readonly origin: string;
}

/** The value at a path, from the highest layer that has one. Leaves are looked up one by one, so tables merge deeply. */
export function lookup(layers: readonly Layer[], path: readonly string[]): Found | undefined {
  for (const layer of [...layers].reverse()) {
    const value = valueAt(layer.table, path);
    if (value !== undefined) return { value, origin: layer.origin };
  }
  return undefined;
}

/** The keys that any layer has below a path. */
export function keysBelow(layers: readonly Layer[], path: readonly string[]): string[] {
  const keys = layers.flatMap((layer) => {
    const table = valueAt(layer.table, path);
    return isRecord(table) ? Object.keys(table) : [];
  });
  return [...new Set(keys)];
}

function valueAt(table: unknown, path: readonly string[]): unknown {
  let value = table;
  for (const key of path) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}
