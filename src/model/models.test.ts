import { expect, test } from 'vitest';
import { modelRow } from './model-rows.ts';
import { findModelFacts, modelFamily } from './models.ts';

const find = (model: string, configured = {}, provider = 'p') => findModelFacts({ provider, model, configured });
const modelFacts = async (model: string) => (await find(model)).facts;

const UNKNOWN = {
  textLimit: { unit: 'bytes', limit: 10_000 },
  contextWindow: 272_000,
  reasoningSummary: 'auto',
  imageInput: true,
  originalImages: false,
  commandTool: 'exec_command',
  applyPatch: 'function',
  webSearch: false,
  family: 'other',
};

const TRAINED = {
  ...UNKNOWN,
  textLimit: { unit: 'tokens', limit: 10_000 },
  applyPatch: 'freeform',
  webSearch: true,
  family: 'trained',
};

test.each(['gpt-5', 'gpt-5.1-codex', 'codex-large', 'openai/gpt-5', 'GPT-5'])(
  '%s was trained with Codex',
  async (slug) => {
    expect(await modelFacts(slug)).toEqual(TRAINED);
  },
);

test.each(['gpt-5.4', 'gpt-5.5', 'gpt-6-mini'])('%s accepts images in their original size', async (slug) => {
  expect(await modelFacts(slug)).toEqual({ ...TRAINED, originalImages: true });
});

test('codex-mini has a command tool built in', async () => {
  const facts = { commandTool: 'local_shell', applyPatch: 'function', webSearch: false };
  expect(await modelFacts('codex-mini-latest')).toMatchObject(facts);
});

test.each(['gpt-oss-20b', 'openai/gpt-oss-120b', 'deepseek-chat', 'Qwen/Qwen3-Coder-480B'])(
  '%s reads text',
  async (slug) => {
    expect(await modelFacts(slug)).toEqual({ ...UNKNOWN, imageInput: false, contextWindow: expect.any(Number) });
  },
);

test.each(['mine', 'my-gpt-5', 'gpt-5/other', 'claudette', 'o1x', 'constructor', ''])(
  'nothing is known of "%s"',
  async (slug) => {
    expect(await find(slug)).toEqual({ facts: UNKNOWN, isKnown: false });
  },
);

test.each([
  ['gpt-5.5', 272_000],
  ['gpt-5.3-codex-spark', 100_000],
  ['openai/gpt-oss-20b', 131_072],
  ['gpt-4.1-mini', 1_047_576],
  ['codex-mini-latest', 200_000],
  ['o1-mini', 128_000],
  ['o1', 200_000],
  ['anthropic/claude-sonnet-4.5', 200_000],
  ['Qwen/Qwen2.5-Coder-7B-Instruct', 32_768],
  ['anthropic/claude-opus-5.5', 1_000_000],
  ['claude-haiku-4-5-20251001', 200_000],
  ['claude-something-new', 200_000],
  ['deepseek/deepseek-v4-pro:free', 1_000_000],
  ['glm-4.6', 204_800],
  ['zai-org/GLM-5.2-FP8', 1_000_000],
  ['kimi-k2-0905', 131_072],
  ['qwen3:8b', 40_960],
  ['qwen3-coder:30b', 262_144],
])('%s has a window of %i tokens', async (slug, tokens) => {
  expect((await modelFacts(slug)).contextWindow).toBe(tokens);
});

test("the user's facts win, those for a provider first", async () => {
  const configured = {
    'claude-opus-5': { contextWindow: 1000, input: ['text'] },
    'mine/claude-opus-5': { contextWindow: 2000 },
    'gpt-5': { contextWindow: 3000 },
    own: { contextWindow: 4000 },
    vague: { maxOutputTokens: 5 },
  } as const;
  const at = async (model: string, provider?: string) => (await find(model, configured, provider)).facts;
  expect(await at('claude-opus-5')).toMatchObject({ contextWindow: 1000, imageInput: false });
  expect(await at('claude-opus-5', 'mine')).toMatchObject({ contextWindow: 2000, imageInput: true });
  expect(await at('gpt-5')).toMatchObject({ contextWindow: 3000, family: 'trained' });
  expect(await find('own', configured)).toMatchObject({ facts: { contextWindow: 4000 }, isKnown: true });
  expect(await find('vague', configured)).toMatchObject({ facts: { contextWindow: 272_000 }, isKnown: false });
  expect(await find('toString', configured)).toMatchObject({ isKnown: false });
});

test.each(['gpt-5', 'gpt-5.1', 'gpt-5.4', 'gpt-5.5', 'gpt-6-astra', 'gpt-5.3-codex-spark', 'codex-mini'])(
  'the table has the window that %s is used with',
  async (model) => {
    expect(modelFamily(model)).toBe('trained');
    expect(modelRow(model)?.contextWindow).toBe((await modelFacts(model)).contextWindow);
  },
);

test('the table knows more than the window', () => {
  expect(modelRow('openai/gpt-oss-20b')).toEqual({
    contextWindow: 131_072,
    maxOutputTokens: 32_768,
    input: ['text'],
    reasoningEfforts: ['low', 'medium', 'high'],
  });
});
