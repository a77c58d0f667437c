import type { ProviderSettings } from '../../base/provider.ts';
import { HOSTED, MOVABLE } from './built-in.ts';

/**
 * Returns the id of the provider whose server is at an address: the user's own entries first, then the built-in ones. The
 * origins must be equal, because the provider's key is sent there. Among several, the one with the same path counts.
 */
export function providerAt(address: string, settings: Readonly<Record<string, ProviderSettings>>): string | undefined {
  const { origin, pathname } = new URL(address);
  const places = [settings, HOSTED, MOVABLE].flatMap((table) =>
    Object.entries(table).flatMap(([id, { baseUrl = '' }]) =>
      URL.canParse(baseUrl) ? [{ id, url: new URL(baseUrl) }] : [],
    ),
  );
  const there = places.filter(({ url }) => url.origin === origin);
  const path = trimmed(pathname);
  return (there.find(({ url }) => trimmed(url.pathname) === path) ?? there[0])?.id;
}

function trimmed(path: string): string {
  return path.replace(/\/+$/, '');
}
