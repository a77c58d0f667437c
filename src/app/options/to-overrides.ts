import { isRecord } from '../../base/json-schema.ts';

/** Returns a tree of settings as `key=value` overrides, one for each leaf, with values in TOML. */
export function toOverrides(config: Readonly<Record<string, unknown>>, path: readonly string[] = []): string[] {
  return Object.entries(config).flatMap(([key, value]) => {
    const below = [...path, /^[\w-]+$/.test(key) ? key : JSON.stringify(key)];
    if (value === undefined) return [];
    return isRecord(value) ? toOverrides(value, below) : [`${below.join('.')}=${toToml(value)}`];
  });
}

function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)} = ${toToml(field)}`);
  return `{ ${fields.join(', ')} }`;
}
