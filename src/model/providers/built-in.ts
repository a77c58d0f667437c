import type { ProviderSettings } from '../../base/provider.ts';
import type { Compat } from '../../base/wire.ts';

/**
 * Hosted servers, as their documentation and reports of their users describe them. An entry holds only for its own
 * address. Vendors with servers in China and elsewhere have an entry for each, because keys are valid on one side only.
 */
export const HOSTED: Readonly<Record<string, ProviderSettings>> = {
  anthropic: {
    name: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    wire: 'messages',
    envKey: 'ANTHROPIC_API_KEY',
  },
  cerebras: {
    name: 'Cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    wire: 'chat',
    envKey: 'CEREBRAS_API_KEY',
  },
  dashscope: {
    name: 'DashScope',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    wire: 'chat',
    envKey: 'DASHSCOPE_API_KEY',
  },
  'dashscope-cn': {
    name: 'DashScope (China)',
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
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
  fireworks: {
    name: 'Fireworks AI',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    wire: 'chat',
    envKey: 'FIREWORKS_API_KEY',
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
  longcat: {
    name: 'LongCat',
    baseUrl: 'https://api.longcat.chat/openai/v1',
    wire: 'chat',
    envKey: 'LONGCAT_API_KEY',
  },
  minimax: {
    name: 'MiniMax',
    baseUrl: 'https://api.minimax.io/v1',
    wire: 'chat',
    envKey: 'MINIMAX_API_KEY',
    compat: { sendReasoning: 'all' },
  },
  'minimax-cn': {
    name: 'MiniMax (China)',
    baseUrl: 'https://api.minimaxi.com/v1',
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
  'moonshot-cn': {
    name: 'Moonshot (China)',
    baseUrl: 'https://api.moonshot.cn/v1',
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
  tencent: {
    name: 'Tencent TokenHub',
    baseUrl: 'https://tokenhub-intl.tencentcloudmaas.com/v1',
    wire: 'chat',
    envKey: 'TENCENT_API_KEY',
  },
  'tencent-cn': {
    name: 'Tencent TokenHub (China)',
    baseUrl: 'https://tokenhub.tencentcloudmaas.com/v1',
    wire: 'chat',
    envKey: 'TENCENT_API_KEY',
  },
  together: {
    name: 'Together AI',
    baseUrl: 'https://api.together.ai/v1',
    wire: 'chat',
    envKey: 'TOGETHER_API_KEY',
  },
  volcengine: {
    name: 'Volcengine Ark',
    baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
    wire: 'chat',
    envKey: 'ARK_API_KEY',
  },
  xai: {
    name: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    wire: 'auto',
    envKey: 'XAI_API_KEY',
    compat: { htmlEntities: true },
  },
  zai: { name: 'Z.ai', baseUrl: 'https://api.z.ai/api/paas/v4', wire: 'chat', envKey: 'ZAI_API_KEY' },
  zhipu: {
    name: 'Zhipu (China)',
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    wire: 'chat',
    envKey: 'ZHIPU_API_KEY',
  },
};

/** Settings of servers by the end of their host's name, whatever the user calls them. */
export const ADDRESSES: readonly (readonly [host: string, compat: Partial<Compat>])[] = [
  // Their models never leave a call in the text, so a call there is a quotation.
  ['api.openai.com', { textCalls: false }],
  ['openai.azure.com', { textCalls: false }],
];

/** Addresses to show for providers whose entry has none, because every customer has another one. */
export const OWN_ADDRESSES: Readonly<Record<string, string>> = {
  azure: 'https://RESOURCE.openai.azure.com/openai/v1',
};

/**
 * OpenAI, also as a resource at Azure, and servers on this machine, which need no key. An entry also holds where the
 * user sets another address.
 */
export const MOVABLE: Readonly<Record<string, ProviderSettings>> = {
  azure: { name: 'Azure OpenAI', wire: 'auto', envKey: 'AZURE_OPENAI_API_KEY' },
  'llama.cpp': { name: 'llama.cpp', baseUrl: 'http://localhost:8080/v1', wire: 'auto' },
  lmstudio: { name: 'LM Studio', baseUrl: 'http://localhost:1234/v1', wire: 'auto' },
  // Not bound to a wire: a user's own address may be that of the endpoints for clients of OpenAI.
  ollama: { name: 'Ollama', baseUrl: 'http://localhost:11434/api', wire: 'auto' },
  openai: {
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    wire: 'auto',
    openaiAuth: true,
    defaultModel: 'gpt-5.5',
    envHeaders: { 'OpenAI-Organization': 'OPENAI_ORGANIZATION', 'OpenAI-Project': 'OPENAI_PROJECT' },
  },
  sglang: { name: 'SGLang', baseUrl: 'http://localhost:30000/v1', wire: 'auto' },
  vllm: { name: 'vLLM', baseUrl: 'http://localhost:8000/v1', wire: 'auto' },
};
