import { UserError } from '../../base/errors.ts';
import type { Provider } from '../../base/provider.ts';
import type { TurnOverrides } from '../../base/turn-overrides.ts';
import type { Config } from '../../config/load-config.ts';
import { type ModelFacts, modelFacts } from '../../model/models.ts';
import { assertWires } from '../../model/providers/assert-wires.ts';
import { findProvider } from '../../model/providers/index.ts';
import type { AgentParts } from '../agent-parts.ts';
import { policyFor } from './turn-policy.ts';

/** Returns the provider that the configuration names. Throws `UserError` for a provider that makes no sense. */
export function configuredProvider(config: Config): Provider {
  assertWires(config.modelProviders);
  return providerCalled(config.modelProvider, config);
}

/** Returns the model that the configuration names, or the default of the provider. Throws `UserError` where both are missing. */
export function chooseModel(config: Config, { id, defaultModel }: Provider): string {
  const model = config.model ?? defaultModel;
  if (model !== undefined) return model;
  const text = `No model is set for the provider "${id}". Name one with model = "NAME" in config.toml.`;
  throw new UserError('invalid_config', text, { remedy: { type: 'name_model' } });
}

/** Provider, model and settings of one turn. */
export interface TurnChoice {
  readonly config: Config;
  readonly provider: Provider;
  readonly model: string;
  readonly facts: ModelFacts;
}

/** Returns the agent's settings with the overrides of a turn applied. Throws `UserError` for settings that do not exist. */
export function choiceForTurn(agent: AgentParts, overrides: TurnOverrides): TurnChoice {
  const { config } = agent;
  const provider = overriddenProvider(agent, overrides.provider);
  const model = overrides.model ?? (provider === agent.provider ? agent.model : (provider.defaultModel ?? agent.model));
  return {
    provider,
    model,
    facts: modelFacts(model),
    config: {
      ...config,
      policy: policyFor(config, overrides),
      reasoningEffort: overrides.effort ?? config.reasoningEffort,
      reasoningSummary: overrides.summary ?? config.reasoningSummary,
      verbosity: overrides.verbosity ?? config.verbosity,
    },
  };
}

function overriddenProvider({ config, provider }: AgentParts, id: string | undefined): Provider {
  return id === undefined || id === provider.id ? provider : providerCalled(id, config);
}

function providerCalled(id: string, config: Config): Provider {
  return findProvider(id, config.modelProviders, config);
}
