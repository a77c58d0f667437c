import type { SamplingNames } from '../fields/sampling-fields.ts';

/** The user and the service tier have forms of their own on this wire. */
export const SAMPLING_NAMES: SamplingNames = {
  temperature: ['temperature'],
  topP: ['top_p'],
  topK: ['top_k'],
  maxOutputTokens: ['max_tokens'],
  stop: ['stop_sequences'],
};
