import { keyPlace } from '../../auth/find-key.ts';
import { withSignIn } from '../../auth/with-sign-in.ts';
import type { Provider } from '../../base/provider.ts';
import type { TurnOverrides } from '../../base/turn-overrides.ts';
import type { Config } from '../../config/load-config.ts';
import { assertWires } from '../../model/providers/assert-wires.ts';
import { findProvider } from '../../model/providers/index.ts';
import type { AgentParts } from '../agent-parts.ts';
import { policyFor } from './turn-policy.ts';

/** Returns the provider that the configuration names. Throws `UserError` for a provider that makes no sense. */
export function configuredProvider(config: Config, credentials?: AgentParts['credentials']): Provider {
  assertWires(config.modelProviders);
  return providerCalled(config.modelProvider, { config, credentials });
}

/** The model without a setting, whatever the provider is: the default of Codex. */
const DEFAULT_MODEL = 'gpt-5.5';

/** Returns the model that the configuration names, or the default. */
export function chooseModel(config: Config, { defaultModel }: Provider): string {
  return config.model ?? defaultModel ?? DEFAULT_MODEL;
}

/** Provider, model and settings of one turn. */
export interface TurnChoice {
  readonly config: Config;
  readonly provider: Provider;
  readonly model: string;
  /** Whether the model is the default, as no setting and no option names one. */
  readonly assumed: boolean;
  /** Variable, file or program that the key comes from. Undefined if there is none, or the embedding program has it. */
  readonly keyFrom: string | undefined;
}

/** Returns the agent's settings with the overrides of a turn applied. Throws `UserError` for settings that do not exist. */
export function choiceForTurn(agent: AgentParts, overrides: TurnOverrides): TurnChoice {
  const { config } = agent;
  const provider = overriddenProvider(agent, overrides.provider);
  const model = overrides.model ?? (provider === agent.provider ? agent.model : (provider.defaultModel ?? agent.model));
  return {
    provider,
    model,
    assumed: overrides.model === undefined && config.model === null,
    keyFrom: agent.credentials ? undefined : keyPlace(provider, config),
    config: {
      ...config,
      policy: policyFor(config, overrides),
      reasoningEffort: overrides.effort ?? config.reasoningEffort,
      reasoningSummary: overrides.summary ?? config.reasoningSummary,
      verbosity: overrides.verbosity ?? config.verbosity,
    },
  };
}

/** Returns the provider of a turn. It is found again for each turn, since the user may have signed in meanwhile. */
function overriddenProvider(agent: AgentParts, id = agent.provider.id): Provider {
  const { provider } = agent;
  const found = providerCalled(id, agent);
  return id === provider.id && found.baseUrl === provider.baseUrl && found.chatgpt === provider.chatgpt
    ? provider
    : found;
}

/** Returns a provider as the sign-in requires it. Programs with credentials of their own have no sign-in. */
function providerCalled(id: string, { config, credentials }: Pick<AgentParts, 'config' | 'credentials'>): Provider {
  const provider = findProvider(id, config.modelProviders, config);
  return credentials ? provider : withSignIn(provider, config);
}
