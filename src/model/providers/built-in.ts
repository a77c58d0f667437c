import type { ProviderSettings } from '../../base/provider.ts';
import type { Compat } from '../../base/wire.ts';

/**
 * Hosted servers, as their documentation and reports of their users describe them. An entry holds only for its own
 * address.
 */
export const HOSTED: Readonly<Record<string, ProviderSettings>> = {
  dashscope: {
    name: 'DashScope',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    wire: 'chat',
    envKey: 'DASHSCOPE_API_KEY',
  },
  deepseek: {
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    wire: 'chat',
    envKey: 'DEEPSEEK_API_KEY',
    // Refuses a call of an earlier turn without the reasoning that led to it.
    compat: { sendReasoning: 'all' },
  },
  gemini: {
    name: 'Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    wire: 'chat',
    envKey: 'GEMINI_API_KEY',
  },
  groq: {
    name: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    wire: 'chat',
    envKey: 'GROQ_API_KEY',
    compat: { sendReasoning: 'none' },
  },
  minimax: {
    name: 'MiniMax',
    baseUrl: 'https://api.minimax.io/v1',
    wire: 'chat',
    envKey: 'MINIMAX_API_KEY',
    compat: { sendReasoning: 'all' },
  },
  mistral: {
    name: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    wire: 'chat',
    envKey: 'MISTRAL_API_KEY',
    compat: { callIds: 'nine', sendReasoning: 'none' },
  },
  moonshot: {
    name: 'Moonshot',
    baseUrl: 'https://api.moonshot.ai/v1',
    wire: 'chat',
    envKey: 'MOONSHOT_API_KEY',
    compat: { sendReasoning: 'all' },
  },
  openrouter: {
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    wire: 'chat',
    envKey: 'OPENROUTER_API_KEY',
    // Passes requests on to servers, of which some refuse calls without their reasoning.
    compat: { sendReasoning: 'all' },
  },
  xai: {
    name: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    wire: 'auto',
    envKey: 'XAI_API_KEY',
    compat: { htmlEntities: true },
  },
  zai: { name: 'Z.ai', baseUrl: 'https://api.z.ai/api/paas/v4', wire: 'chat', envKey: 'ZAI_API_KEY' },
};

/** Settings of servers by the end of their host's name, whatever the user calls them. */
export const ADDRESSES: readonly (readonly [host: string, compat: Partial<Compat>])[] = [
  // Their models never leave a call in the text, so a call there is a quotation.
  ['api.openai.com', { textCalls: false }],
  ['openai.azure.com', { textCalls: false }],
];

/** OpenAI, and servers on this machine, which need no key. An entry also holds where the user sets another address. */
export const MOVABLE: Readonly<Record<string, ProviderSettings>> = {
  lmstudio: { name: 'LM Studio', baseUrl: 'http://localhost:1234/v1', wire: 'auto' },
  ollama: { name: 'Ollama', baseUrl: 'http://localhost:11434/v1', wire: 'auto' },
  openai: {
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    wire: 'auto',
    openaiAuth: true,
    defaultModel: 'gpt-5.5',
    envHeaders: { 'OpenAI-Organization': 'OPENAI_ORGANIZATION', 'OpenAI-Project': 'OPENAI_PROJECT' },
  },
};
