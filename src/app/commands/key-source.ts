import { type FoundKey, findKey, type KeySources } from '../../auth/find-key.ts';
import type { Provider } from '../../base/provider.ts';

/** Where the key of a provider comes from. The key itself is not in it. */
export type KeySource = Exclude<FoundKey, { kind: 'found' }> | { readonly kind: 'found'; readonly where: string };

export function keySource(provider: Provider, sources: KeySources): KeySource {
  const found = findKey(provider, sources);
  return found.kind === 'found' ? { kind: 'found', where: found.where } : found;
}
