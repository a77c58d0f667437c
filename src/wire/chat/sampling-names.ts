import type { SamplingNames } from '../fields/sampling-fields.ts';

/**
 * More servers know the older name of the token limit. Servers that know only the newer name say so in their refusal.
 */
export const SAMPLING_NAMES: SamplingNames = {
  temperature: ['temperature'],
  topP: ['top_p'],
  maxOutputTokens: ['max_completion_tokens', 'max_tokens'],
  stop: ['stop'],
  seed: ['seed'],
  presencePenalty: ['presence_penalty'],
  frequencyPenalty: ['frequency_penalty'],
  serviceTier: ['service_tier'],
  user: ['user'],
};
