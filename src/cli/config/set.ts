import { join } from 'node:path';
import { explainConfig } from '../../config/explain-config.ts';
import { findHome } from '../../config/home.ts';
import type { LoadOptions } from '../../config/load-options.ts';
import { parseToml } from '../../config/parse-toml.ts';
import { setSetting } from '../../config/set-setting.ts';
import { keyText } from '../../config/setting/key-text.ts';
import { printable } from '../../text/visible.ts';
import { UsageError } from '../parse-options.ts';
import { ORIGINS } from '../wording.ts';
import { knownKey } from './known-key.ts';

/** Runs `oxbow config set`: checks a value and writes it into the user's config.toml. */
export async function writeSetting(words: readonly string[], sources: LoadOptions): Promise<number> {
  const [text, value, ...more] = words;
  if (text === undefined || value === undefined || more.length > 0)
    throw new UsageError('oxbow config set takes KEY and VALUE: quote a value that contains spaces.');
  const path = knownKey(text);
  const key = keyText(path);
  const written = tomlOf(value);
  // Reading the configuration with the value checks it.
  const origins = { ...ORIGINS, override: 'oxbow config set' };
  explainConfig({ ...sources, origins, overrides: [...(sources.overrides ?? []), `${key}=${written}`] });
  const file = join(findHome(process.env), 'config.toml');
  setSetting(file, path, written);
  const found = explainConfig(sources).settings.find((setting) => setting.key === key);
  process.stderr.write(`${key} is set in ${file}.\n`);
  if (found && found.origin !== file)
    process.stderr.write(printable(`It has no effect here, because ${found.origin} sets it too.\n`));
  return 0;
}

/** Returns the text as a TOML value. A text that is none counts as a string, as with -c. */
function tomlOf(text: string): string {
  const value = text.trim();
  try {
    // A line break or a comment would end the value.
    if (!/[\n#]/.test(value) && 'value' in parseToml(`value = ${value}`, '')) return value;
  } catch {}
  return JSON.stringify(text);
}
