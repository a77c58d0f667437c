import type { SamplingNames } from '../fields/sampling-fields.ts';

/** Names in the `options` of a request. */
export const SAMPLING_NAMES: SamplingNames = {
  temperature: ['temperature'],
  topP: ['top_p'],
  topK: ['top_k'],
  maxOutputTokens: ['num_predict'],
  stop: ['stop'],
  seed: ['seed'],
  presencePenalty: ['presence_penalty'],
  frequencyPenalty: ['frequency_penalty'],
};
