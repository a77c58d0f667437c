import { isRecord } from '../../base/json-schema.ts';
import { type ExplainedSetting, explainConfig } from '../../config/explain-config.ts';
import type { LoadOptions } from '../../config/load-options.ts';
import { keyText } from '../../config/setting/key-text.ts';
import { printable } from '../../text/visible.ts';
import { print } from '../output.ts';
import { UsageError } from '../parse-options.ts';
import { knownKey } from './known-key.ts';
import { tomlText } from './toml-text.ts';

/** Runs `oxbow config get`: prints a value, or the settings of a table. The exit code is 1 if nothing is set. */
export async function getSetting(words: readonly string[], sources: LoadOptions, json: boolean): Promise<number> {
  const [text, ...more] = words;
  if (text === undefined || more.length > 0) throw new UsageError('oxbow config get takes KEY, such as model.');
  const path = knownKey(text);
  const key = keyText(path);
  const set = explainConfig(sources).settings.filter(({ value }) => value !== null);
  const one = found(set, path);
  const below = set.filter((setting) => setting.key.startsWith(`${key}.`));
  if (one === undefined && below.length === 0) {
    process.stderr.write(`${key} is not set.\n`);
    return 1;
  }
  if (json)
    print(
      `${JSON.stringify(one === undefined ? Object.fromEntries(below.map((row) => [row.key, row.value])) : one)}\n`,
    );
  else if (one !== undefined) print(`${printable(typeof one === 'string' ? one : tomlText(one))}\n`);
  else for (const row of below) print(`${printable(`${row.key} = ${tomlText(row.value)}`)}\n`);
  return 0;
}

/** Returns the value at a path. The value of a setting may be a table. */
function found(settings: readonly ExplainedSetting[], path: readonly string[]): unknown {
  for (let length = path.length; length > 0; length--) {
    const setting = settings.find(({ key }) => key === keyText(path.slice(0, length)));
    if (setting)
      return path
        .slice(length)
        .reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), setting.value);
  }
  return undefined;
}
