import type { ProviderSettings } from '../../../../src/base/provider.ts';

export const scratch = {
  name: 'Scratch',
  baseUrl: 'https://scratch.example/v1',
  wire: 'chat',
  defaultModel: 'scratch-1',
  headers: { 'x-scratch': 'yes' },
} as const satisfies ProviderSettings;
