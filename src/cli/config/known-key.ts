import { UserError } from '../../base/errors.ts';
import { pathOf } from '../../config/parse-toml.ts';
import { unknownSettings } from '../../config/unknown-keys.ts';

/** Reads the key of a setting. Throws `UserError` for one that does not exist. */
export function knownKey(text: string): string[] {
  const path = pathOf(text, 'oxbow config');
  const table = path.reduceRight<unknown>((value, key) => ({ [key]: value }), '') as Readonly<Record<string, unknown>>;
  const [unknown] = unknownSettings(table);
  if (unknown === undefined) return path;
  throw new UserError('invalid_config', `There is no setting ${unknown}. oxbow config lists all settings.`);
}
