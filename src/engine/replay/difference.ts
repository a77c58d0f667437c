import { itemText } from '../../base/item-text.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { LogLine } from '../../base/log.ts';
import { uncomparedFields } from './line-kinds.ts';

/**
 * Returns the path at which two lines differ, such as `payload.digest`, or undefined if they differ in no field that is compared. Items
 * must have the same characters, because requests contain them. Elsewhere the order of keys does not matter.
 */
export function difference(recorded: LogLine, came: LogLine): string | undefined {
  if (recorded.type !== came.type) return 'type';
  if (recorded.type === 'response_item' && came.type === 'response_item') {
    const inMetadata = differs(recorded.metadata, came.metadata, 'metadata');
    if (itemText(recorded.payload) === itemText(came.payload)) return inMetadata;
    return differs(recorded.payload, asJson(came.payload), 'payload') ?? 'payload';
  }
  return differs(comparedFields(recorded), comparedFields(asJson(came)), 'payload');
}

/** Returns a value as it is after it was written and read. */
function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function comparedFields(line: LogLine): unknown {
  const payload: Record<string, unknown> = { ...line.payload };
  for (const field of uncomparedFields(line)) delete payload[field];
  return payload;
}

function differs(a: unknown, b: unknown, path: string): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (Array.isArray(a) && Array.isArray(b)) {
    const at = a.length === b.length ? [] : [Math.min(a.length, b.length)];
    return first([...a.keys(), ...at], (i) => differs(a[i], b[i], `${path}[${i}]`));
  }
  if (!isRecord(a) || !isRecord(b)) return path;
  return first([...new Set([...Object.keys(a), ...Object.keys(b)])], (key) =>
    differs(a[key], b[key], `${path}.${key}`),
  );
}

function first<K>(keys: readonly K[], look: (key: K) => string | undefined): string | undefined {
  for (const key of keys) {
    const found = look(key);
    if (found !== undefined) return found;
  }
  return undefined;
}
