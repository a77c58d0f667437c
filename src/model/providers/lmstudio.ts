import type { ProviderSettings } from '../../base/provider.ts';

/** A server on this machine; it wants no key. */
export const lmstudio = {
  name: 'LM Studio',
  baseUrl: 'http://localhost:1234/v1',
  wire: 'auto',
} as const satisfies ProviderSettings;
