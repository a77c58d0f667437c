import { isRecord } from '../base/json-schema.ts';
import { CODEX_KEYS, GUARDING_KEYS, HOOK_SWITCHES, PRESENT_FEATURES, SCREEN_KEYS } from './codex-keys.ts';
import { nearestName } from './nearest-name.ts';
import { keyText } from './setting/key-text.ts';
import { type Layer, lookup } from './setting/layers.ts';
import { SETTINGS } from './settings-list.ts';
import type { UnusedKey } from './sources.ts';
import { placesOf } from './unused-keys.ts';

/** Advice about each key that has no effect. */
const ADVICE: ReadonlyMap<string, string> = new Map(
  Object.entries(CODEX_KEYS).flatMap(([advice, keys]) => keys.map((key) => [key, advice])),
);

/** All keys that cause no warning as unknown ones. The tables of profiles are layers of their own. */
const KNOWN: ReadonlySet<string> = new Set([...SETTINGS.map(({ key }) => key), ...ADVICE.keys(), 'profiles']);

/** Values of keys without effect that ask for nothing but what happens anyway. */
const SAME_HERE: ReadonlyMap<string, unknown> = new Map([['model_providers.*.supports_websockets', false]]);

/** Keys in a configuration that have no effect. */
export interface KeysWithoutEffect {
  readonly unused: readonly UnusedKey[];
  /** Keys that neither Oxbow nor Codex knows and the files that they stand in, or undefined for none. */
  readonly unknown: string | undefined;
}

/** Returns a description of each key of a table that is not a setting, with the name that was probably meant. */
export function unknownSettings(table: Layer['table']): string[] {
  return [...keysOf(table, '', [])].flatMap(({ path, prefix, name }) =>
    name === undefined ? [describeKey(path, prefix)] : [],
  );
}

/**
 * Returns the keys that have no effect, without those in `ignored` and below them. Takes time in proportion to the keys
 * in the layers.
 */
export function findKeysWithoutEffect(layers: readonly Layer[], ignored: readonly string[]): KeysWithoutEffect {
  const found = layers.flatMap(({ origin, table }) =>
    [...keysOf(table, '', [])].flatMap((key) =>
      isIgnored(keyText(key.path), ignored) || isAsWritten(key, layers) ? [] : [{ ...key, origin }],
    ),
  );
  const unused = found.flatMap(({ path, name, origin }) => {
    const advice = ADVICE.get(name ?? '');
    if (advice === undefined) return [];
    const [guards, quiet] = [GUARDING_KEYS, SCREEN_KEYS].map((keys) => keys.has(name ?? ''));
    return [{ key: keyText(path), origin, advice, guards: guards === true, quiet: quiet === true }];
  });
  const unknown = found.filter(({ name }) => name === undefined);
  const described = unknown.map(({ path, prefix, origin }) => ({ key: describeKey(path, prefix), origin }));
  return { unused, unknown: placesOf(described) };
}

function isIgnored(key: string, ignored: readonly string[]): boolean {
  return ignored.some((entry) => key === entry || key.startsWith(`${entry}.`));
}

/** Reports whether a key of Codex asks for what happens here anyway. */
function isAsWritten({ path, name, value }: FoundKey, layers: readonly Layer[]): boolean {
  if (name === 'hooks') return HOOK_SWITCHES.some((feature) => lookup(layers, ['features', feature])?.value === false);
  if (name !== 'features.*') return name !== undefined && SAME_HERE.has(name) && SAME_HERE.get(name) === value;
  const isOn = isRecord(value) ? value.enabled !== false : value !== false;
  return isOn === PRESENT_FEATURES.has(path.at(-1) ?? '');
}

interface FoundKey {
  readonly path: readonly string[];
  /** Beginning of the known keys in its table. */
  readonly prefix: string;
  /** Known key that it is, or undefined. */
  readonly name: string | undefined;
  readonly value: unknown;
}

/** Yields the keys of a table and of the tables below it that are not tables of known keys themselves. */
function* keysOf(table: Layer['table'], prefix: string, above: readonly string[]): Generator<FoundKey> {
  for (const [key, value] of Object.entries(table)) {
    const path = [...above, key];
    const name = [`${prefix}${key.replaceAll('.', '/')}`, `${prefix}*`].find(
      (entry) => KNOWN.has(entry) || isTable(entry),
    );
    if (name !== undefined && !KNOWN.has(name) && isRecord(value)) yield* keysOf(value, `${name}.`, path);
    else yield { path, prefix, name, value };
  }
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

/** Returns names of settings in a table. A key without effect would be no help. */
function namesBelow(prefix: string): Set<string> {
  const keys = SETTINGS.map(({ key }) => key).filter((key) => key.startsWith(prefix));
  return new Set(keys.map((key) => key.slice(prefix.length).replace(/\..*/, '')));
}

/** Returns a setting of this name in another table: in TOML it is easy to write a key below the wrong heading. */
function inOtherTable(key: string): string | undefined {
  return SETTINGS.find((setting) => !setting.key.includes('*') && setting.key.split('.').at(-1) === key)?.key;
}
