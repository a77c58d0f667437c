import type { TextLimit } from '../base/bound-text.ts';

/** Facts about a model that are needed before the first request. */
export interface ModelFacts {
  /** The bound on texts that the model reads, such as outputs of calls. */
  readonly textLimit: TextLimit;
  /** In tokens. */
  readonly contextWindow: number;
  readonly reasoningSummary: 'auto';
  /** Whether the model accepts images. */
  readonly imageInput: boolean;
  /** Whether the model accepts images in their original size. */
  readonly originalImages: boolean;
  /** The tool for running commands that the model knows best. */
  readonly commandTool: 'exec_command' | 'local_shell';
  /** The form in which `apply_patch` is offered to the model. */
  readonly applyPatch: 'freeform' | 'function';
  /** Whether the servers of the model's maker search the web for it. */
  readonly webSearch: boolean;
  /** Whether the model was trained with tools like ours, so that it needs no instructions for them. */
  readonly family: 'trained' | 'other';
}

/**
 * Safe assumptions for a model without a row. Codex offers such a model no `apply_patch`, and looks for it in commands.
 * A model that has never seen `apply_patch` does not write it into a command, but every model can fill in one parameter
 * of a function.
 */
const UNKNOWN: ModelFacts = {
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

/** Models that were trained with Codex. */
const TRAINED: ModelFacts = {
  ...UNKNOWN,
  textLimit: { unit: 'tokens', limit: 10_000 },
  applyPatch: 'freeform',
  webSearch: true,
  family: 'trained',
};

const SHARP_EYED: ModelFacts = { ...TRAINED, originalImages: true };
const TEXT_ONLY: ModelFacts = { ...UNKNOWN, imageInput: false };

/** Facts by the beginning of a name. The first row that matches counts. */
const MODELS: readonly (readonly [begins: string, facts: ModelFacts])[] = [
  ['gpt-5.4', SHARP_EYED],
  ['gpt-5.5', SHARP_EYED],
  ['gpt-5', TRAINED],
  ['gpt-6', SHARP_EYED],
  ['codex-mini', { ...TRAINED, commandTool: 'local_shell', applyPatch: 'function', webSearch: false }],
  ['codex', TRAINED],
  ['gpt-oss', TEXT_ONLY],
  ['gpt-3.5', TEXT_ONLY],
  ['o1-mini', TEXT_ONLY],
  ['o3-mini', TEXT_ONLY],
  ['deepseek-chat', TEXT_ONLY],
  ['deepseek-coder', TEXT_ONLY],
  ['deepseek-r1', TEXT_ONLY],
  ['deepseek-reasoner', TEXT_ONLY],
  ['deepseek-v3', TEXT_ONLY],
  ['qwen3-coder', TEXT_ONLY],
];

/** Windows of other sizes, by the beginning of a name. The first row that matches counts. */
const WINDOWS: readonly (readonly [begins: string, tokens: number])[] = [
  ['gpt-5.3-codex-spark', 100_000],
  ['gpt-4.1', 1_047_576],
  ['gpt-4o', 128_000],
  ['gpt-4-turbo', 128_000],
  ['gpt-3.5', 16_385],
  ['gpt-oss', 131_072],
  ['codex-mini', 200_000],
  ['o1-mini', 128_000],
  ['o1', 200_000],
  ['o3', 200_000],
  ['o4-mini', 200_000],
  ['claude', 200_000],
  ['codestral', 256_000],
  ['deepseek-chat', 128_000],
  ['deepseek-reasoner', 128_000],
  ['deepseek-r1', 128_000],
  ['deepseek-v3', 128_000],
  ['devstral', 128_000],
  ['kimi-k2', 131_072],
  ['llama-3.', 131_072],
  ['llama3.', 131_072],
  ['qwen2.5', 32_768],
  ['qwen-2.5', 32_768],
  ['qwen3-coder', 262_144],
  ['qwen3-32b', 40_960],
  ['qwen3-14b', 40_960],
  ['qwen3-8b', 40_960],
  ['qwen3:', 40_960],
];

/** Returns the facts about a model. The name may be preceded by that of its maker and a slash. */
export function modelFacts(slug: string): ModelFacts {
  const name = slug.slice(slug.lastIndexOf('/') + 1).toLowerCase();
  const facts = rowFor(MODELS, name) ?? UNKNOWN;
  const contextWindow = rowFor(WINDOWS, name);
  return contextWindow === undefined ? facts : { ...facts, contextWindow };
}

function rowFor<T>(rows: readonly (readonly [begins: string, value: T])[], name: string): T | undefined {
  return rows.find(([begins]) => name.startsWith(begins))?.[1];
}
