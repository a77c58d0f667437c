import { isRecord } from '../../base/json-schema.ts';

/** Returns a value as config.toml would have it. */
export function tomlText(value: unknown): string {
  if (value === null) return 'not set';
  if (Array.isArray(value)) return `[${value.map(tomlText).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${key} = ${tomlText(field)}`);
  return `{ ${fields.join(', ')} }`;
}
