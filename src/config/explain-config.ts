import { readConfig } from './load-config.ts';
import type { LoadOptions } from './load-options.ts';
import { readSources } from './read-sources.ts';
import { keyText } from './setting/key-text.ts';
import { keysBelow, lookup } from './setting/layers.ts';
import { defaultOf, type Setting } from './setting/setting.ts';
import { visibleValue } from './setting/visible-value.ts';
import { SETTINGS } from './settings-list.ts';
import type { Sources } from './sources.ts';
import { explainUnusedKeys, unusedKeysWarning } from './unused-keys.ts';

export interface Explanation {
  readonly settings: readonly ExplainedSetting[];
  readonly warnings: readonly string[];
}

export interface ExplainedSetting {
  /** Dotted key, as in config.toml. */
  readonly key: string;
  /** Value as it was written, secrets hidden, or the default. Null: neither. */
  readonly value: unknown;
  /** Source of the value, or `default`. */
  readonly origin: string;
}

/** Returns every setting with its value and the source of that value. Throws what `loadConfig` throws. */
export function explainConfig(options: LoadOptions = {}): Explanation {
  const sources = readSources(options);
  const config = readConfig(sources, options.addDirs ?? []);
  // Each key without effect gets sentences of its own, in place of one about all.
  const summary = unusedKeysWarning(config.unused, options.origins?.explain);
  const warnings = config.warnings.filter((warning) => !summary.includes(warning));
  const settings = SETTINGS.flatMap((setting) =>
    setting.key.includes('*') ? explainChosen(setting.key.split('.'), sources) : [explainFixed(setting, sources)],
  );
  return { settings, warnings: [...warnings, ...explainUnusedKeys(config)] };
}

function explainFixed(setting: Setting<unknown>, { layers, settings }: Sources): ExplainedSetting {
  const { key, older } = setting;
  const path = key.split('.');
  const found = lookup(layers, path) ?? (older && lookup(layers, older.key.split('.')));
  if (found === undefined) return { key, value: defaultOf(setting, settings), origin: 'default' };
  return { key, value: visibleValue(path, found.value), origin: found.layer.origin };
}

/** Returns the settings that exist in tables whose names the user chose. */
function explainChosen(pattern: readonly string[], { layers, cwd, project }: Sources): ExplainedSetting[] {
  return pathsLike(pattern, [])
    .filter(([table, folder]) => table !== 'projects' || folder === cwd || folder === project.root)
    .flatMap((path) => {
      const found = lookup(layers, path);
      if (found === undefined) return [];
      return [{ key: keyText(path), value: visibleValue(path, found.value), origin: found.layer.origin }];
    });

  function pathsLike([name, ...rest]: readonly string[], path: readonly string[]): (readonly string[])[] {
    if (name === undefined) return [path];
    const names = name === '*' ? keysBelow(layers, path) : [name];
    return names.flatMap((next) => pathsLike(rest, [...path, next]));
  }
}
