import { resolve } from 'node:path';
import { lazy } from '../../base/lazy.ts';
import type { Model } from '../../base/model.ts';
import type { Config } from '../../config/load-config.ts';
import type { ThreadSetup, TurnSetup } from '../../engine/turn-setup.ts';
import { type FoundFacts, findModelFacts, type ModelFacts, type ModelQuery } from '../../model/models.ts';
import { priceOf } from '../../model/prices.ts';
import { isLocal, isOpenAi } from '../../model/providers/index.ts';
import { withoutOpaqueState } from '../../wire/opaque/opaque-state.ts';
import type { AgentParts, ThreadOptions } from '../agent-parts.ts';
import { choiceForTurn, type TurnChoice } from './choose-model.ts';
import { compactionOf, textLimitOf } from './context-limits.ts';
import { createPrompts } from './create-prompts.ts';
import type { LoadedRules } from './loaded-rules.ts';
import { openModel, wireFacts } from './open-model.ts';
import type { OwnEnvironment } from './own-environment.ts';
import { createToolSource, type ToolSourceOptions } from './tool-source.ts';
import { withRules } from './turn-policy.ts';
import { warnAs } from './warn-as.ts';

/** Parts of a thread that its turns are made from. */
export interface TurnParts {
  readonly agent: AgentParts;
  readonly threadId: string;
  readonly options: Pick<ThreadOptions, 'ask' | 'instructions' | 'context'>;
  readonly environment: OwnEnvironment;
  readonly rules: LoadedRules;
  /** Tools of MCP servers, if there are servers. */
  readonly mcp?: ToolSourceOptions['mcp'];
  readonly emit: ThreadSetup['emit'];
  /** Keeps an event until the thread has started. */
  readonly emitLater: ThreadSetup['emit'];
}

/** Returns the function that makes the setup of each turn. Models and tools of earlier turns are reused. */
export function createTurnSetups(parts: TurnParts): ThreadSetup['turn'] {
  const { agent, threadId, environment, rules, emit, options } = parts;
  const models = new Map<string, Promise<Model>>();
  const onlyModels = new Map<string, Promise<string | undefined>>();
  const sources = new Map<string, TurnSetup['tools']>();
  const known = new Map<string, Promise<FoundFacts>>();
  const ofAgent = { own: agent.tools, mcp: parts.mcp, builtIn: agent.builtInTools };
  const prompts = createPrompts({
    config: agent.config,
    world: agent.world,
    canAsk: options.ask !== undefined,
    instructions: options.instructions,
    agents: agent.agents,
    onWarning: warnAs(emit, 'prompt'),
  });
  const judges = lazy(() => createJudges(parts));

  return async (overrides) => {
    const choice = choiceForTurn(agent, overrides);
    const { config, provider } = choice;
    const only =
      choice.assumed && isLocal(provider)
        ? await remembered(onlyModels, provider.id, async () =>
            (await import('./model-names.ts')).onlyModel(parts, choice),
          )
        : undefined;
    const model = only ?? choice.model;
    const { carries, forgetsReasoning, usualWindow } = await wireFacts(agent, provider);
    const query = { provider: provider.id, configured: config.models, usualWindow };
    const { facts, isKnown } = await remembered(known, `${provider.id}/${model}`, () =>
      knownFacts(parts, { ...query, model }),
    );
    const policy = await withRules(config.policy, rules);
    const key = JSON.stringify([provider.id, model, policy.sandbox.mode]);
    const tools = remembered(sources, key, () => createToolSource({ config, provider, facts, carries, ...ofAgent }));
    return {
      model: await remembered(models, `${provider.id} ${provider.baseUrl}`, () =>
        openModel({ agent, threadId, provider, emit }),
      ),
      providerId: provider.id,
      keyFrom: choice.keyFrom,
      tools,
      policy,
      judge: lazy(async () => (await judges())(policy)),
      view: { ...viewOf(config, facts, environment.files(policy.sandbox)), context: options.context },
      prompt: prompts({ model, offered: tools().offered, policy }),
      imageInput: facts.imageInput,
      seesImages: async (other) => (await findModelFacts({ ...query, model: other })).facts.imageInput,
      withoutState: withoutOpaqueState,
      forgetsReasoning: forgetsReasoning && provider.compat.sendReasoning === 'turn',
      compaction: compactionOf(config.compaction, facts.contextWindow),
      window: config.compaction.window ?? (isKnown ? facts.contextWindow : null),
      waitsForLimits: config.onUsageLimit === 'wait',
      price: priceOf({ provider, model, configured: config.modelPrices }),
      request: requestOf(config, { model, threadId, provider }),
      textLimit: textLimitOf(config.toolOutputTokenLimit, facts.textLimit),
      showRawReasoning: config.showRawReasoning,
    };
  };
}

/** Returns the functions that judge actions under a policy. Their code is loaded with the first one. */
async function createJudges({ agent, rules, environment, emit }: TurnParts) {
  const { createThreadJudges } = await import('./thread-judge.ts');
  const onWarning = warnAs(emit, 'rules');
  rules.notices.forEach(onWarning);
  return createThreadJudges({ config: agent.config, rules, environment, onWarning });
}

/** Returns the facts about a model. Tells the user once if they are assumptions. */
async function knownFacts({ agent, emitLater }: TurnParts, query: ModelQuery): Promise<FoundFacts> {
  const found = await findModelFacts(query);
  // A model of the embedding program has a name that no table can know.
  if (!found.isKnown && !agent.ownModel && agent.config.compaction.window === null)
    emitLater({ type: 'warning', code: 'model', message: assumedText(query.model, found.facts) }, null);
  return found;
}

function assumedText(model: string, { contextWindow, imageInput }: ModelFacts): string {
  const images = imageInput ? ' and to accept images' : '';
  return `Nothing is known about the model ${model}. It is assumed to accept ${contextWindow} tokens at once${images}. If that is wrong, set context_window and input in [models.${JSON.stringify(model)}] of config.toml.`;
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

function viewOf(
  { cwd, shell, repairArgv, shellEnvironment }: Config,
  { imageInput, originalImages }: ModelFacts,
  files: TurnSetup['view']['files'],
): TurnSetup['view'] {
  const inputs = { images: imageInput, originalImages };
  const loginShell = shellEnvironment.allowLoginShell;
  return { cwd, shell, repairArgv, loginShell, resolve: (relative) => resolve(cwd, relative), files, inputs };
}

interface RequestNames {
  readonly model: string;
  readonly threadId: string;
  readonly provider: TurnChoice['provider'];
}

function requestOf(config: Config, { model, threadId, provider }: RequestNames): TurnSetup['request'] {
  return {
    model,
    toolChoice: 'auto',
    parallelToolCalls: true,
    reasoning: {
      ...(config.reasoningEffort === null ? {} : { effort: config.reasoningEffort }),
      ...(config.reasoningSummary === 'none' ? {} : { summary: config.reasoningSummary }),
    },
    ...(config.verbosity === null ? {} : { text: { verbosity: config.verbosity } }),
    ...samplingOf(config.serviceTier),
    store: storesResponses(config, provider),
    // Also where responses are stored: the thread may go on at a server, or with an account, that does not have them.
    include: ['reasoning.encrypted_content'],
    cacheKey: threadId,
  };
}

/** Reports whether a server is asked to store responses. ChatGPT refuses such requests. */
function storesResponses(
  { responseStorage, disableResponseStorage }: Config,
  provider: TurnChoice['provider'],
): boolean {
  if (provider.chatgpt) return false;
  return responseStorage === 'auto' ? !disableResponseStorage && isOpenAi(provider) : responseStorage;
}

/** Names of classes of service in config.toml that requests do not have. Null: the request names none. */
const SERVICE_TIERS: ReadonlyMap<string, string | null> = new Map([
  ['fast', 'priority'],
  ['default', null],
]);

function samplingOf(name: string | null): Pick<TurnSetup['request'], 'sampling'> {
  const serviceTier = name && SERVICE_TIERS.has(name) ? SERVICE_TIERS.get(name) : name;
  return serviceTier ? { sampling: { serviceTier } } : {};
}
