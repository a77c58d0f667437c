import type { Provider } from '../base/provider.ts';
import { isAnthropic, isOpenAi } from '../model/providers/index.ts';

/** Names of models that clients have built in, and the servers that know them. */
interface ForeignNames {
  readonly names: RegExp;
  readonly isKnownTo: (provider: Provider) => boolean;
}

const FOREIGN: readonly ForeignNames[] = [
  // Codex, such as `codex-auto-review`. The open models of OpenAI are meant literally: any server may have them.
  { names: /^(?:codex-|gpt-(?!oss))/, isKnownTo: (provider) => provider.openaiAuth || isOpenAi(provider) },
  // Claude Code: names with or without a date, and aliases. The size of the window may follow, as in `sonnet[1m]`.
  { names: /^(?:claude-.+|(?:opus|sonnet|haiku|fable|opusplan)(?:\[\w+\])?)$/, isKnownTo: isAnthropic },
];

/** Reports whether a name is one that clients have built in for the models of another vendor than this provider. */
export function isForeignName(name: string, provider: Provider | undefined): boolean {
  return FOREIGN.some(({ names, isKnownTo }) => names.test(name) && !(provider !== undefined && isKnownTo(provider)));
}
