import { isRecord } from '../../base/json-schema.ts';
import { readTomlFile } from '../../config/read-toml-file.ts';
import { setSetting } from '../../config/set-setting.ts';
import { setTable, valueText, type WrittenTable } from '../../config/set-table.ts';
import { UsageError } from '../parse-options.ts';

/**
 * Writes the entry of a provider into config.toml. In an entry that is there already only the settings of the probe
 * change, and comments stay. Throws `UserError`.
 */
export function writeEntry(file: string, name: string, entry: WrittenTable): void {
  const path = ['model_providers', name];
  const old = tableAt(readTomlFile(file)[0]?.table, path);
  if (old === undefined) {
    setTable(file, path, entry);
    return;
  }
  if (
    typeof old.base_url === 'string' &&
    typeof entry.base_url === 'string' &&
    !isSamePlace(old.base_url, entry.base_url)
  )
    throw new UsageError(`config.toml has a provider "${name}" at another address. Choose another name: --write NAME.`);
  for (const [key, value] of leaves(entry)) setSetting(file, [...path, ...key], valueText(value));
}

/** Returns the values of an entry with their paths. */
function leaves(table: WrittenTable): readonly (readonly [readonly string[], unknown])[] {
  return Object.entries(table).flatMap(([key, value]): readonly (readonly [readonly string[], unknown])[] =>
    isRecord(value) ? Object.entries(value).map(([inner, one]) => [[key, inner], one]) : [[[key], value]],
  );
}

function tableAt(table: unknown, path: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  const found = path.reduce<unknown>((below, key) => (isRecord(below) ? below[key] : undefined), table);
  return isRecord(found) ? found : undefined;
}

/** Reports whether two addresses have the same origin. The path may be what the probe has corrected. */
function isSamePlace(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}
