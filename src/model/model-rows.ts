import type { Modality, ModelEntry } from '../base/model-entry.ts';

/**
 * Returns the built-in facts about a model. The name may be preceded by that of its maker and a slash, have dots for
 * dashes, and go on with a date, a size or another ending: the longest row that it begins with counts.
 */
export function modelRow(slug: string): ModelEntry | undefined {
  const name = slug.slice(slug.lastIndexOf('/') + 1);
  const plain = plainName(name);
  const fitting = ROWS.filter(([begins]) => plain.startsWith(begins) && !isInsideWord(plain, begins.length));
  const [row] = fitting.sort(([a], [b]) => b.length - a.length);
  return row && entryOf(row);
}

/** Reports whether no word ends at an index. */
function isInsideWord(text: string, index: number): boolean {
  return /^[a-z0-9]{2}$/.test(text.slice(index - 1, index + 1));
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll('.', '-');
}

type Row = readonly [
  begins: string,
  contextWindow: number,
  /** Zero: unknown. */
  maxOutputTokens: number,
  input: readonly Modality[],
  reasoningEfforts?: readonly string[],
];

function entryOf([, contextWindow, maxOutputTokens, input, reasoningEfforts]: Row): ModelEntry {
  return {
    contextWindow,
    ...(maxOutputTokens === 0 ? {} : { maxOutputTokens }),
    input,
    ...(reasoningEfforts === undefined ? {} : { reasoningEfforts }),
  };
}

const TEXT: readonly Modality[] = ['text'];
const IMAGES: readonly Modality[] = ['text', 'image'];
const FILES: readonly Modality[] = ['text', 'image', 'pdf'];
const VIDEO: readonly Modality[] = ['text', 'image', 'video'];
const ALL: readonly Modality[] = ['text', 'image', 'audio', 'video', 'pdf'];

const UP_TO_HIGH = ['low', 'medium', 'high'];
const UP_TO_MAX = [...UP_TO_HIGH, 'xhigh', 'max'];

/**
 * Rows by the beginning of a plain name. docs/providers.md names the sources; facts that they do not have are left out.
 * The windows of models that were trained with Codex are those that Codex uses: the most input that the server accepts,
 * or that it sells at the usual price.
 */
const ROWS: readonly Row[] = [
  ['gpt-6', 272_000, 128_000, FILES],
  ['gpt-6-astra', 272_000, 128_000, FILES, UP_TO_MAX],
  ['gpt-5-5', 272_000, 128_000, FILES],
  ['gpt-5-4', 272_000, 128_000, FILES],
  ['gpt-5-3-codex-spark', 100_000, 0, IMAGES],
  ['gpt-5-1', 272_000, 128_000, IMAGES, ['none', ...UP_TO_HIGH]],
  ['gpt-5', 272_000, 128_000, IMAGES],
  ['gpt-4-1', 1_047_576, 32_768, FILES],
  ['gpt-4o', 128_000, 16_384, FILES],
  ['gpt-4-turbo', 128_000, 0, IMAGES],
  ['gpt-3-5', 16_385, 0, TEXT],
  ['gpt-oss', 131_072, 32_768, TEXT, UP_TO_HIGH],
  ['codex-mini', 200_000, 0, IMAGES],
  ['o1-mini', 128_000, 0, TEXT],
  ['o1', 200_000, 0, IMAGES],
  ['o3-mini', 200_000, 0, TEXT],
  ['o3', 200_000, 100_000, FILES],
  ['o4-mini', 200_000, 0, IMAGES],

  ['claude', 200_000, 0, IMAGES],
  ['claude-fable-5', 1_000_000, 128_000, FILES, UP_TO_MAX],
  ['claude-opus-5-5', 1_000_000, 128_000, FILES, UP_TO_MAX],
  ['claude-opus-5', 1_000_000, 128_000, FILES, UP_TO_MAX],
  ['claude-opus-4-8', 1_000_000, 128_000, FILES, UP_TO_MAX],
  ['claude-opus-4-7', 1_000_000, 128_000, FILES, UP_TO_MAX],
  ['claude-opus-4-6', 1_000_000, 128_000, FILES, [...UP_TO_HIGH, 'max']],
  ['claude-opus-4-5', 200_000, 64_000, FILES, UP_TO_HIGH],
  ['claude-opus-4', 200_000, 32_000, FILES],
  ['claude-sonnet-5-5', 1_000_000, 128_000, FILES, UP_TO_MAX],
  ['claude-sonnet-5', 1_000_000, 128_000, FILES, UP_TO_MAX],
  ['claude-sonnet-4-6', 1_000_000, 128_000, FILES, [...UP_TO_HIGH, 'max']],
  ['claude-sonnet-4', 200_000, 64_000, FILES],
  ['claude-haiku-5-5', 1_000_000, 128_000, FILES, UP_TO_MAX],
  ['claude-haiku-4-5', 200_000, 64_000, FILES],

  ['gemini-3-8-flash', 1_048_576, 65_536, ALL, UP_TO_HIGH],
  ['gemini-3-1-pro', 1_048_576, 65_536, ALL],
  ['gemini-2-5-pro', 1_048_576, 65_536, ALL],
  ['gemma-4-31b', 262_144, 32_768, IMAGES],

  ['grok-4-7', 500_000, 500_000, IMAGES],
  ['grok-4-5', 500_000, 500_000, IMAGES],
  ['grok-4-3', 1_000_000, 30_000, FILES],
  ['grok-4', 256_000, 256_000, IMAGES],
  ['grok-code-fast-1', 256_000, 10_000, TEXT],

  ['deepseek-flash', 1_000_000, 384_000, IMAGES],
  ['deepseek-v4-flash', 1_000_000, 384_000, TEXT],
  ['deepseek-v4-pro', 1_000_000, 384_000, TEXT],
  ['deepseek-v3', 128_000, 0, TEXT],
  ['deepseek-r1', 128_000, 0, TEXT],
  ['deepseek-chat', 128_000, 0, TEXT],
  ['deepseek-reasoner', 128_000, 0, TEXT],
  ['deepseek-coder', 128_000, 0, TEXT],

  ['glm-5-3', 1_000_000, 131_072, TEXT],
  ['glm-5-2', 1_000_000, 131_072, TEXT],
  ['glm-5', 204_800, 131_072, TEXT],
  ['glm-4-6', 204_800, 131_072, TEXT],
  ['glm-4-5-air', 131_072, 98_304, TEXT],

  ['kimi-k3', 1_048_576, 262_144, VIDEO],
  ['kimi-k2-7-code', 262_144, 262_144, VIDEO],
  ['kimi-k2-5', 262_144, 262_144, VIDEO],
  ['kimi-k2-thinking', 262_144, 262_144, TEXT],
  ['kimi-k2', 131_072, 0, TEXT],

  ['minimax-m3', 512_000, 128_000, VIDEO],
  ['minimax-m2-7', 204_800, 131_072, TEXT],
  ['minimax-m2', 196_608, 128_000, TEXT],

  ['qwen3-7-max', 1_000_000, 131_072, TEXT],
  ['qwen3-6-plus', 1_000_000, 65_536, VIDEO],
  ['qwen3-5-397b', 262_144, 65_536, ['text', 'image', 'audio', 'video']],
  ['qwen3-coder-plus', 1_000_000, 65_536, TEXT],
  ['qwen3-coder', 262_144, 65_536, TEXT],
  ['qwen3-max', 262_144, 65_536, TEXT],
  ['qwen3-32b', 40_960, 0, TEXT],
  ['qwen3-14b', 40_960, 0, TEXT],
  ['qwen3-8b', 40_960, 0, TEXT],
  ['qwen3:', 40_960, 0, TEXT],
  ['qwen2-5', 32_768, 0, IMAGES],
  ['qwen-2-5', 32_768, 0, IMAGES],

  ['devstral-2512', 262_144, 262_144, TEXT],
  ['devstral', 128_000, 0, TEXT],
  ['codestral', 256_000, 0, TEXT],
  ['mistral-large-2512', 262_144, 262_144, IMAGES],
  ['mistral-medium-3-5', 256_000, 256_000, IMAGES],
  ['mistral-small-2603', 256_000, 256_000, IMAGES],

  ['llama-3-1', 131_072, 0, TEXT],
  ['llama-3-2', 131_072, 0, IMAGES],
  ['llama-3-3', 131_072, 0, TEXT],
  ['llama3-1', 131_072, 0, TEXT],
  ['llama3-2', 131_072, 0, IMAGES],
  ['llama3-3', 131_072, 0, TEXT],

  ['longcat-2-0', 1_000_000, 384_000, TEXT],
];
