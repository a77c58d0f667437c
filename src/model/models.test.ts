import { expect, test } from 'vitest';
import { modelFacts } from './models.ts';

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

test.each(['gpt-5', 'gpt-5.1-codex', 'codex-large', 'openai/gpt-5', 'GPT-5'])('%s was trained with Codex', (slug) => {
  expect(modelFacts(slug)).toEqual(TRAINED);
});

test.each(['gpt-5.4', 'gpt-5.5', 'gpt-6-mini'])('%s accepts images in their original size', (slug) => {
  expect(modelFacts(slug)).toEqual({ ...TRAINED, originalImages: true });
});

test('codex-mini has a command tool built in', () => {
  const facts = { commandTool: 'local_shell', applyPatch: 'function', webSearch: false };
  expect(modelFacts('codex-mini-latest')).toMatchObject(facts);
});

test.each(['gpt-oss-20b', 'openai/gpt-oss-120b', 'deepseek-chat', 'Qwen/Qwen3-Coder-480B'])('%s reads text', (slug) => {
  expect(modelFacts(slug)).toEqual({ ...UNKNOWN, imageInput: false, contextWindow: expect.any(Number) });
});

test.each(['glm-4.6', 'my-gpt-5', 'gpt-5/other', ''])('nothing is known of "%s"', (slug) => {
  expect(modelFacts(slug)).toEqual(UNKNOWN);
});

test.each([
  ['gpt-5.5', 272_000],
  ['gpt-5.3-codex-spark', 100_000],
  ['openai/gpt-oss-20b', 131_072],
  ['gpt-4.1-mini', 1_047_576],
  ['o1-mini', 128_000],
  ['o1', 200_000],
  ['anthropic/claude-sonnet-4.5', 200_000],
  ['Qwen/Qwen2.5-Coder-7B-Instruct', 32_768],
  ['qwen3:8b', 40_960],
  ['qwen3-coder:30b', 262_144],
])('%s has a window of %i tokens', (slug, tokens) => {
  expect(modelFacts(slug).contextWindow).toBe(tokens);
});
