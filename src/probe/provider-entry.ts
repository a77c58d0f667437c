import { isDeepStrictEqual } from 'node:util';
import type { Provider } from '../base/provider.ts';
import type { Compat, WireName } from '../base/wire.ts';

/** A table `[model_providers.NAME]` of config.toml. */
export type ProviderEntry = Readonly<Record<string, string | Readonly<Record<string, EntryValue>>>>;

/** Value of a setting in the `compat` table of an entry. */
export type EntryValue = string | number | boolean | readonly string[];

export interface EntryOptions {
  readonly provider: Provider;
  readonly wire: WireName;
  /** Settings that an entry without a `compat` table has. */
  readonly plain: Compat;
  /** Whether the provider is built in under this name, so that its address and its key are known. */
  readonly isBuiltIn: boolean;
}

/** Returns the entry of a probed provider. It has no key. */
export function providerEntry({ provider, wire, plain, isBuiltIn }: EntryOptions): ProviderEntry {
  const { baseUrl, envKey, compat } = provider;
  const changed = (Object.keys(compat) as (keyof Compat)[]).flatMap((name) => {
    const value = compat[name];
    return value === null || isDeepStrictEqual(value, plain[name]) ? [] : [[settingName(name), value] as const];
  });
  return {
    ...(!isBuiltIn && { base_url: baseUrl }),
    wire_api: wire,
    ...(!isBuiltIn && envKey !== undefined && { env_key: envKey }),
    ...(changed.length > 0 && { compat: Object.fromEntries(changed) }),
  };
}

/** Returns the name of a setting in config.toml. */
export function settingName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
