import type { ProviderSettings } from '../../base/provider.ts';

/** A server on this machine; it wants no key. */
export const ollama = {
  name: 'Ollama',
  baseUrl: 'http://localhost:11434/v1',
  wire: 'auto',
} as const satisfies ProviderSettings;
