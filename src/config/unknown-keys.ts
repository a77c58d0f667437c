import { isRecord } from '../base/json-schema.ts';
import { CODEX_KEYS } from './codex-keys.ts';
import { nearestName } from './nearest-name.ts';
import { keyText } from './setting/key-text.ts';
import type { Layer } from './setting/layers.ts';
import { SETTINGS } from './settings-list.ts';

const KNOWN: ReadonlySet<string> = new Set([...SETTINGS.map(({ key }) => key), ...CODEX_KEYS]);

/** One sentence about all keys that nobody knows, or nothing. Costs as much as there are keys in the layers. */
export function unknownKeysWarning(layers: readonly Layer[]): string[] {
  const places = layers.flatMap(({ origin, table }) => {
    const keys = unknownKeys(table, '', []);
    return keys.length === 0 ? [] : [`${keys.join(', ')} in ${origin}`];
  });
  return places.length === 0 ? [] : [`Unknown settings were ignored: ${places.join('; ')}.`];
}

/** `prefix` is how the list of known keys begins for what is in this table; `path` is where the table stands. */
function unknownKeys(table: Layer['table'], prefix: string, path: readonly string[]): string[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const name = [`${prefix}${key.replaceAll('.', '/')}`, `${prefix}*`].find(
      (entry) => KNOWN.has(entry) || isTable(entry),
    );
    if (name === undefined) return [describeKey([...path, key], prefix)];
    return isRecord(value) && !KNOWN.has(name) ? unknownKeys(value, `${name}.`, [...path, key]) : [];
  });
}

/** Whether there are known keys below. */
function isTable(name: string): boolean {
  const start = `${name}.`;
  for (const key of KNOWN) if (key.startsWith(start)) return true;
  return false;
}

function describeKey(path: readonly string[], prefix: string): string {
  const key = path.at(-1) ?? '';
  const meant = nearestName(key, namesBelow(prefix));
  const suggestion = meant === undefined ? elsewhere(key) : keyText([...path.slice(0, -1), meant]);
  return suggestion === undefined ? keyText(path) : `${keyText(path)} (did you mean ${suggestion}?)`;
}

function namesBelow(prefix: string): Set<string> {
  const keys = [...KNOWN].filter((key) => key.startsWith(prefix));
  return new Set(keys.map((key) => key.slice(prefix.length).replace(/\..*/, '')));
}

/** A setting of this name in another table: in TOML it is easy to write below the wrong heading. */
function elsewhere(key: string): string | undefined {
  return SETTINGS.find((setting) => !setting.key.includes('*') && setting.key.split('.').at(-1) === key)?.key;
}
