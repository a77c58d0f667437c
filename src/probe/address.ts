import type { Provider } from '../base/provider.ts';

/** Reports whether the address of a provider has no path, so that its last part may be missing. */
export function lacksPath({ baseUrl }: Provider): boolean {
  return /^\/*$/.test(new URL(baseUrl).pathname);
}

/** Returns a provider with a path at the end of its address. */
export function belowPath(provider: Provider, path: string): Provider {
  return { ...provider, baseUrl: `${provider.baseUrl}${path}` };
}
