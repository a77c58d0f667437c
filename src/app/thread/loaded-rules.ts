import type { Policy } from '../../base/policy.ts';
import type { NetworkRule } from '../../policy/rules/parse-rules.ts';

/** The rules of all files together. */
export interface LoadedRules extends Pick<Policy, 'rules' | 'executables'> {
  readonly networkRules: readonly NetworkRule[];
  /** Sentences for the user about rules that were ignored. */
  readonly notices: readonly string[];
}

export const NO_RULES: LoadedRules = { networkRules: [], notices: [] };
