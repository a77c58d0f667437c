import { isRecord } from '../base/json-schema.ts';
import { keyText } from './setting/key-text.ts';
import { type Layer, lookup } from './setting/layers.ts';
import { defaultOf, type Setting } from './setting/setting.ts';
import { createSettingsReader } from './setting/settings-reader.ts';
import { SETTINGS } from './settings-list.ts';
import { withoutKey } from './without-key.ts';

/**
 * Returns the layers of a trusted project without the settings that are looser than `below`, and a warning for each of
 * them. An inner layer of the project may not be looser than an outer one either.
 */
export function withoutLooserSettings(
  layers: readonly Layer[],
  below: readonly Layer[],
  userFile: string,
): { readonly layers: Layer[]; readonly warnings: string[] } {
  const warnings: string[] = [];
  const kept: Layer[] = [];
  for (const layer of layers) {
    const loose = SETTINGS.filter((setting) => isLooser(layer, [...below, ...kept], setting));
    for (const { key } of loose) {
      warnings.push(
        `${key} in ${layer.origin} was ignored: a project may make it stricter, not looser. Set it in ${userFile}.`,
      );
    }
    kept.push({ ...layer, table: loose.reduce((table, { key }) => withoutKey(table, key.split('.')), layer.table) });
  }
  return { layers: kept, warnings };
}

function isLooser(layer: Layer, below: readonly Layer[], setting: Setting<unknown>): boolean {
  const path = setting.key.split('.');
  const found = setting.projectLimit && lookup([layer], path);
  if (found === undefined) return false;
  const reader = createSettingsReader(below, { userFolder: '', trusted: true });
  const value = reader.found(path)?.value ?? defaultOf(setting, reader);
  return setting.projectLimit?.allows(found.value, value) === false;
}

/**
 * Returns a layer with only those settings that a project may make stricter, and the keys of all others. A value that
 * cannot be read is left out too: a file that only tightens may not make the start fail.
 */
export function onlyLimits(layer: Layer): { readonly layer: Layer; readonly others: readonly string[] } {
  const isLimited = (path: readonly string[]) =>
    SETTINGS.some(({ key, projectLimit }) => projectLimit && `${path.join('.')}.`.startsWith(`${key}.`));
  const unreadable = SETTINGS.filter((setting) => setting.projectLimit && !isReadable(layer, setting));
  const others = leaves(layer.table).filter((path) => !isLimited(path));
  const removed = [...others, ...unreadable.map(({ key }) => key.split('.'))];
  return { layer: { ...layer, table: removed.reduce(withoutKey, layer.table) }, others: removed.map(keyText) };
}

function isReadable(layer: Layer, setting: Setting<unknown>): boolean {
  try {
    setting.given(createSettingsReader([layer], { userFolder: '', trusted: true }));
    return true;
  } catch {
    return false;
  }
}

/** Returns the paths of all values that are not tables. */
function leaves(table: Layer['table'], above: readonly string[] = []): (readonly string[])[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const path = [...above, key];
    return isRecord(value) && !(value instanceof Date) ? leaves(value, path) : [path];
  });
}
