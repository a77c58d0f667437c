import type { ProviderSettings } from '../../base/provider.ts';

export const openai = {
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  wire: 'auto',
  openaiAuth: true,
  defaultModel: 'gpt-5.5',
  envHeaders: { 'OpenAI-Organization': 'OPENAI_ORGANIZATION', 'OpenAI-Project': 'OPENAI_PROJECT' },
} as const satisfies ProviderSettings;
