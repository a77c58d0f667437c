import type { TextLimit } from '../base/bound-text.ts';

/** What must be known of a model before it is asked. */
export interface ModelFacts {
  /** The bound on texts, such as outputs of calls, that the model reads. */
  readonly textLimit: TextLimit;
  /** In tokens. */
  readonly contextWindow: number;
  readonly reasoningSummary: 'auto';
}

/** What is safe to assume of a model that no row names. */
const UNKNOWN: ModelFacts = {
  textLimit: { unit: 'bytes', limit: 10_000 },
  contextWindow: 272_000,
  reasoningSummary: 'auto',
};

const TOKEN_LIMITED: ModelFacts = { ...UNKNOWN, textLimit: { unit: 'tokens', limit: 10_000 } };

/** Facts by how a slug begins; the first row that fits counts. */
const MODELS: readonly (readonly [begins: string, facts: ModelFacts])[] = [
  ['gpt-5', TOKEN_LIMITED],
  ['gpt-6', TOKEN_LIMITED],
  ['codex', TOKEN_LIMITED],
];

export function modelFacts(slug: string): ModelFacts {
  return MODELS.find(([begins]) => slug.startsWith(begins))?.[1] ?? UNKNOWN;
}
