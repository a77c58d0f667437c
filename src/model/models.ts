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
};

/** Models that were trained with Codex. */
const TRAINED: ModelFacts = {
  ...UNKNOWN,
  textLimit: { unit: 'tokens', limit: 10_000 },
  applyPatch: 'freeform',
  webSearch: true,
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

/** A name may have that of its maker before it, with a slash. */
export function modelFacts(slug: string): ModelFacts {
  const name = slug.slice(slug.lastIndexOf('/') + 1).toLowerCase();
  return MODELS.find(([begins]) => name.startsWith(begins))?.[1] ?? UNKNOWN;
}
