import type { SamplingNames } from '../fields/sampling-fields.ts';

export const SAMPLING_NAMES: SamplingNames = {
  temperature: ['temperature'],
  topP: ['top_p'],
  maxOutputTokens: ['max_output_tokens'],
  serviceTier: ['service_tier'],
  user: ['user'],
};
