/** A kind of input that a model accepts. */
export type Modality = 'text' | 'image' | 'audio' | 'video' | 'pdf';

/** Facts about a model that do not depend on its server. Absent facts are unknown. */
export interface ModelEntry {
  /** Number of tokens that the model accepts at once. */
  readonly contextWindow?: number;
  /** Most tokens of one response. */
  readonly maxOutputTokens?: number;
  readonly input?: readonly Modality[];
  /** Values of `model_reasoning_effort` that the model knows. */
  readonly reasoningEfforts?: readonly string[];
}
