import { type FoundKey, findKey, type KeySources } from '../../auth/find-key.ts';
import type { Provider } from '../../base/provider.ts';

/** Source of a provider's key, without the key itself. */
export type KeySource =
  | Exclude<FoundKey, { kind: 'found' | 'program' | 'keyring' }>
  | { readonly kind: 'found'; readonly where: string };

export function keySource(provider: Provider, sources: KeySources): KeySource {
  const found = findKey(provider, sources);
  if (found.kind !== 'found' && found.kind !== 'program' && found.kind !== 'keyring') return found;
  return { kind: 'found', where: found.where };
}
