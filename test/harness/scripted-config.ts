import { stringify } from 'smol-toml';
import { isRecord } from '../../src/base/json-schema.ts';

export type ConfigTable = Readonly<Record<string, unknown>>;

/** Returns a config.toml that uses the model server at this URL, with the tables of `given` merged into it. */
export function scriptedConfig(url: string, given: ConfigTable = {}): string {
  const provider = { name: 'Scripted', base_url: url, wire_api: 'responses', env_key: 'SCRIPTED_KEY' };
  const config = {
    model: 'scripted',
    model_provider: 'scripted',
    sandbox_mode: 'danger-full-access',
    model_providers: { scripted: provider },
    // Without facts about the model, every thread would begin with a warning.
    models: { scripted: { context_window: 272_000 } },
  };
  return stringify(merge(config, given));
}

function merge(base: ConfigTable, over: ConfigTable): ConfigTable {
  const merged = Object.entries(over).map(([key, value]) => {
    const below = base[key];
    return [key, isRecord(below) && isRecord(value) ? merge(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(merged) };
}
