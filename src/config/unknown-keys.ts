import { isRecord } from '../base/json-schema.ts';
import { CODEX_KEYS } from './codex-keys.ts';
import { nearestName } from './nearest-name.ts';
import { keyText } from './setting/key-text.ts';
import type { Layer } from './setting/layers.ts';
import { SETTINGS } from './settings-list.ts';

const KNOWN: ReadonlySet<string> = new Set([...SETTINGS.map(({ key }) => key), ...CODEX_KEYS]);

/** Returns one sentence about all unknown keys, or none. Takes time in proportion to the keys in the layers. */
export function unknownKeysWarning(layers: readonly Layer[]): string[] {
  const places = layers.flatMap(({ origin, table }) => {
    const keys = unknownKeys(table, '', []);
    return keys.length === 0 ? [] : [`${keys.join(', ')} in ${origin}`];
  });
  return places.length === 0 ? [] : [`Unknown settings were ignored: ${places.join('; ')}.`];
}

/**
 * Returns a description of each unknown key in a table. `prefix` is the beginning of the known keys in this table, and
 * `path` is the path of the table.
 */
function unknownKeys(table: Layer['table'], prefix: string, path: readonly string[]): string[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const name = [`${prefix}${key.replaceAll('.', '/')}`, `${prefix}*`].find(
      (entry) => KNOWN.has(entry) || isTable(entry),
    );
    if (name === undefined) return [describeKey([...path, key], prefix)];
    return isRecord(value) && !KNOWN.has(name) ? unknownKeys(value, `${name}.`, [...path, key]) : [];
  });
}

/** Reports whether there are known keys below a name. */
function isTable(name: string): boolean {
  const start = `${name}.`;
  for (const key of KNOWN) if (key.startsWith(start)) return true;
  return false;
}

function describeKey(path: readonly string[], prefix: string): string {
  const key = path.at(-1) ?? '';
  const meant = nearestName(key, namesBelow(prefix));
  const suggestion = meant === undefined ? inOtherTable(key) : keyText([...path.slice(0, -1), meant]);
  return suggestion === undefined ? keyText(path) : `${keyText(path)} (did you mean ${suggestion}?)`;
}

function namesBelow(prefix: string): Set<string> {
  const keys = [...KNOWN].filter((key) => key.startsWith(prefix));
  return new Set(keys.map((key) => key.slice(prefix.length).replace(/\..*/, '')));
}

/** Returns a setting of this name in another table: in TOML it is easy to write a key below the wrong heading. */
function inOtherTable(key: string): string | undefined {
  return SETTINGS.find((setting) => !setting.key.includes('*') && setting.key.split('.').at(-1) === key)?.key;
}
