import type { TextLimit } from '../base/bound-text.ts';

/** What must be known of a model before it is asked. */
export interface ModelFacts {
  /** The bound on texts, such as outputs of calls, that the model reads. */
  readonly textLimit: TextLimit;
  /** In tokens. */
  readonly contextWindow: number;
  readonly reasoningSummary: 'auto';
  /** Whether it can look at images. */
  readonly imageInput: boolean;
  /** Whether it can look at them with all their pixels. */
  readonly originalImages: boolean;
  /** The tool that runs commands which it knows best. */
  readonly commandTool: 'exec_command' | 'local_shell';
  /** In which form it is offered `apply_patch`. */
  readonly applyPatch: 'freeform' | 'function';
  /** Whether its maker's servers search the web for it. */
  readonly webSearch: boolean;
  /** Whether it was trained with tools like ours, and needs no telling how to call them. */
  readonly family: 'trained' | 'other';
}

/**
 * What is safe to assume of a model that no row names. Codex offers such a model no `apply_patch` and waits for it in
 * commands; but who has never heard of it does not write it there, and every model can fill in one parameter of a function.
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

/** Facts by how a name begins; the first row that fits counts. */
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

/** Windows that are smaller or larger than that, by how a name begins; the first row that fits counts. */
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

/** A name may have that of its maker before it, with a slash. */
export function modelFacts(slug: string): ModelFacts {
  const name = slug.slice(slug.lastIndexOf('/') + 1).toLowerCase();
  const facts = rowFor(MODELS, name) ?? UNKNOWN;
  const contextWindow = rowFor(WINDOWS, name);
  return contextWindow === undefined ? facts : { ...facts, contextWindow };
}

function rowFor<T>(rows: readonly (readonly [begins: string, value: T])[], name: string): T | undefined {
  return rows.find(([begins]) => name.startsWith(begins))?.[1];
}
