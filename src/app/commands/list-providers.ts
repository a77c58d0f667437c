import { UserError } from '../../base/errors.ts';
import type { Provider } from '../../base/provider.ts';
import type { Config } from '../../config/load-config.ts';
import { findProvider, isBuiltIn, ownAddress, providerIds } from '../../model/providers/index.ts';
import { type KeySource, keySource } from './key-source.ts';

/** A provider that can be chosen, and whether its key is there. */
export interface ProviderRow {
  readonly id: string;
  readonly name: string;
  /** Null: the user has to set it. */
  readonly baseUrl: string | null;
  readonly wire: string;
  /** Model that is asked unless the user names another one. Null: the user has to name one. */
  readonly defaultModel: string | null;
  /** Variable with the key. Null for a provider without a key. */
  readonly envKey: string | null;
  readonly key: KeySource;
  readonly isBuiltIn: boolean;
  /** Whether it is the configured one. */
  readonly isChosen: boolean;
  /** Why the provider cannot be used. Null if it can. */
  readonly problem: string | null;
}

/** Returns the built-in providers and those of the user, by id. Asks no server. */
export function listProviders(config: Config): ProviderRow[] {
  return providerIds(config.modelProviders).map((id) => rowOf(id, config));
}

function rowOf(id: string, config: Config): ProviderRow {
  const { problem, provider } = attemptProvider(id, config);
  const { name = id, baseUrl = null, wire = 'auto', envKey, openaiAuth = false, defaultModel = null } = provider ?? {};
  return {
    id,
    name,
    baseUrl: problem === null ? baseUrl : null,
    wire,
    defaultModel,
    envKey: envKey ?? (openaiAuth ? 'OPENAI_API_KEY' : null),
    key: provider === undefined ? { kind: 'not needed' } : keySource(provider, config),
    isBuiltIn: isBuiltIn(id),
    isChosen: id === config.modelProvider,
    problem,
  };
}

interface Attempt {
  readonly problem: string | null;
  readonly provider?: Provider;
}

/** Returns a provider. A table that cannot be used must not hide the others, so its fault is a row too. */
function attemptProvider(id: string, config: Config): Attempt {
  try {
    return { problem: null, provider: findProvider(id, config.modelProviders, config) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const baseUrl = ownAddress(id);
    if (baseUrl === undefined) return { problem: error.message };
    // The rest of the entry is known without the address.
    const settings = { ...config.modelProviders, [id]: { ...config.modelProviders[id], baseUrl } };
    return { problem: error.message, provider: findProvider(id, settings, config) };
  }
}
