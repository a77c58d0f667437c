import { join } from 'node:path';
import { UserError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import { expandShorthand } from './expand-shorthand.ts';
import { readTomlFile } from './read-toml-file.ts';
import { keyText } from './setting/key-text.ts';
import type { Layer } from './setting/layers.ts';

/**
 * Returns the layers of a profile: its tables `[profiles.NAME]` in these layers, then the file NAME.config.toml of the
 * home. Throws `UserError` when there is neither. Without a home there are only tables.
 */
export function profileLayers(name: string, layers: readonly Layer[], home: string | null): Layer[] {
  const tables = layers.flatMap((layer) => profileTable(layer, name));
  if (home === null) {
    if (tables.length > 0) return tables;
    throw new UserError('not_found', `There is no profile "${name}" in the settings.`);
  }
  const path = join(home, `${name}.config.toml`);
  const files = /[/\\]/.test(name) ? [] : readTomlFile(path);
  if (tables.length + files.length > 0) return [...tables, ...files];
  throw new UserError(
    'not_found',
    `There is no profile "${name}": neither [${keyText(['profiles', name])}] in ${join(home, 'config.toml')} nor the file ${path} exists.`,
  );
}

function profileTable({ table, origin, folder }: Layer, name: string): Layer[] {
  const { profiles } = table;
  const profile = isRecord(profiles) && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!isRecord(profile)) return [];
  return [expandShorthand({ origin: `${origin} [${keyText(['profiles', name])}]`, folder, table: profile })];
}
