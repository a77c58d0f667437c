import { resolve } from 'node:path';
import { findCredentials } from '../../auth/credentials.ts';
import type { TextLimit } from '../../base/bound-text.ts';
import { UserError } from '../../base/errors.ts';
import type { EventBody } from '../../base/event.ts';
import { lazy } from '../../base/lazy.ts';
import type { Model } from '../../base/model.ts';
import type { Policy, SandboxMode } from '../../base/policy.ts';
import type { Provider } from '../../base/provider.ts';
import type { TurnOverrides } from '../../base/turn-overrides.ts';
import type { WireName } from '../../base/wire.ts';
import type { Config } from '../../config/load-config.ts';
import type { ThreadSetup, TurnSetup } from '../../engine/turn-setup.ts';
import { createModel, type ModelNotice } from '../../model/create-model.ts';
import type { Adapt } from '../../model/exchange/encoded-request.ts';
import { type ModelFacts, modelFacts } from '../../model/models.ts';
import { priceOf } from '../../model/prices.ts';
import { findProvider } from '../../model/providers/index.ts';
import { loadClientWire, loadWire, wiresToTry } from '../../wire/registry.ts';
import type { AgentParts, ThreadOptions } from '../agent-parts.ts';
import { compactionOf } from './compaction-of.ts';
import { type LoadedRules, NO_RULES } from './loaded-rules.ts';
import type { OwnEnvironment } from './own-environment.ts';
import { createPrompts } from './prompt-of.ts';
import { createToolSource } from './tool-source.ts';
import { userAgent } from './user-agent.ts';

/** The parts of a thread that its turns are made from. */
export interface TurnParts {
  readonly agent: AgentParts;
  readonly threadId: string;
  readonly options: Pick<ThreadOptions, 'ask' | 'instructions'>;
  readonly environment: OwnEnvironment;
  readonly rules: LoadedRules;
  readonly emit: ThreadSetup['emit'];
  readonly onWarning: (message: string) => void;
}

/** Returns the maker of a thread's turn setups. Models and tools of an earlier turn are used again. */
export function createTurnSetups(parts: TurnParts): ThreadSetup['turn'] {
  const { agent, environment, rules, onWarning, options } = parts;
  const models = new Map<string, Promise<Model>>();
  const sources = new Map<string, TurnSetup['tools']>();
  const prompts = createPrompts({
    config: agent.config,
    world: agent.world,
    canAsk: options.ask !== undefined,
    instructions: options.instructions,
    agents: agent.agents,
    onWarning,
  });
  const judges = lazy(async () => {
    const { createThreadJudges } = await import('./thread-judge.ts');
    rules.notices.forEach(onWarning);
    return createThreadJudges({ config: agent.config, rules, refusedHosts: environment.refusedHosts });
  });

  return async (overrides) => {
    const { config, provider, model, facts } = chosenFor(agent, overrides);
    const policy = await withRules(config.policy, rules);
    const key = JSON.stringify([provider.id, model, policy.sandbox.mode]);
    // Which wire a server turns out to speak must not change the tools of its threads.
    const { carries } = await loadClientWire(wiresToTry(provider.wire)[0]);
    const { forgetsReasoning } = await loadClientWire(wiresOf(agent, provider)[0]);
    const tools = remembered(sources, key, () =>
      createToolSource({ config, provider, facts, carries, own: agent.tools }),
    );
    return {
      model: await remembered(
        models,
        provider.id,
        async () => agent.ownModel?.(parts.threadId) ?? openModel(parts, provider),
      ),
      providerId: provider.id,
      tools,
      policy,
      judge: lazy(async () => (await judges())(policy)),
      view: viewOf(config, facts, environment.files(policy.sandbox)),
      prompt: prompts({ model, offered: tools().offered, policy }),
      imageInput: facts.imageInput,
      seesImages: (other) => modelFacts(other).imageInput,
      forgetsReasoning: forgetsReasoning && provider.compat.sendReasoning === 'turn',
      compaction: compactionOf(config.compaction, facts.contextWindow),
      price: priceOf({ provider, model, configured: config.modelPrices }),
      request: requestOf(config, model, parts.threadId),
      textLimit: textLimitOf(config, facts),
      showRawReasoning: config.showRawReasoning,
    };
  };
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

interface Chosen {
  readonly config: Config;
  readonly provider: Provider;
  readonly model: string;
  readonly facts: ModelFacts;
}

/** Returns the agent's settings with those of a turn in their place. Throws `UserError` for settings that do not exist. */
function chosenFor(agent: AgentParts, overrides: TurnOverrides): Chosen {
  const { config } = agent;
  const provider = providerFor(agent, overrides.provider);
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

function providerFor({ config, provider }: AgentParts, id: string | undefined): Provider {
  if (id === undefined || id === provider.id) return provider;
  const { modelProviders, openaiBaseUrl } = config;
  return findProvider(id, modelProviders, openaiBaseUrl === null ? {} : { openaiBaseUrl });
}

const APPROVALS: readonly unknown[] = ['untrusted', 'on-failure', 'on-request', 'never'];
const SANDBOX_MODES: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access'];

function policyFor({ policy, cwd }: Config, overrides: TurnOverrides): Policy {
  const { approvalPolicy: approval = policy.approval, sandboxMode: mode = policy.sandbox.mode } = overrides;
  const { networkAccess: network = policy.sandbox.network, writableRoots: added = [] } = overrides;
  if (typeof approval === 'string' && !APPROVALS.includes(approval))
    throw notOne('approvalPolicy', approval, APPROVALS);
  if (!SANDBOX_MODES.includes(mode)) throw notOne('sandboxMode', mode, SANDBOX_MODES);
  const roots = [...policy.sandbox.writableRoots, ...added.map((root) => resolve(cwd, root))];
  return { ...policy, approval, sandbox: { ...policy.sandbox, mode, network, writableRoots: [...new Set(roots)] } };
}

function notOne(name: string, value: string, known: readonly unknown[]): UserError {
  return new UserError(
    'invalid_input',
    `${name} is ${JSON.stringify(value)}, which is not one of ${known.join(', ')}.`,
  );
}

/** Returns the policy with the hosts that rules allow or forbid. */
async function withRules(policy: Policy, rules: LoadedRules): Promise<Policy> {
  if (rules === NO_RULES) return policy;
  const { withNetworkRules } = await import('./load-rules.ts');
  return { ...policy, sandbox: withNetworkRules(policy.sandbox, rules.networkRules) };
}

function viewOf(
  { cwd, shell, repairArgv }: Config,
  { imageInput, originalImages }: ModelFacts,
  files: TurnSetup['view']['files'],
): TurnSetup['view'] {
  const inputs = { images: imageInput, originalImages };
  return { cwd, shell, repairArgv, resolve: (relative) => resolve(cwd, relative), files, inputs };
}

function openModel({ agent, threadId, emit }: TurnParts, provider: Provider): Model {
  const { config, world, originator, knownWires, transport, servers } = agent;
  return createModel({
    ...servers,
    ...transport,
    provider,
    world,
    wires: {
      load: loadClientWire,
      known: () => knownWires.get(provider.baseUrl),
      onFound: (wire) => knownWires.set(provider.baseUrl, wire),
    },
    repair: loadRepair,
    adapt: adaptFor,
    // A cassette asks for no key.
    credentials: async () => (transport.isReplayed ? {} : findCredentials(provider, config)),
    identity: { threadId, originator, userAgent: userAgent(originator, OXBOW_VERSION) },
    env: config.env,
    onNotice: (notice) => emit(noticeEvent(notice), null),
  });
}

const loadRepair = lazy(async () => (await import('../../repair/repair-stream.ts')).repairStream);

async function adaptFor(wire: WireName): Promise<Adapt> {
  const [{ adaptRequest }, { restoreNames }, { learn }, whole] = await Promise.all([
    import('../../adapt/adapt-request.ts'),
    import('../../adapt/adapt-frames.ts'),
    import('../../adapt/learn.ts'),
    loadWire(wire),
  ]);
  return { wire: whole, adaptRequest, restoreNames, learn };
}

/** Returns the wires to try, as far as is known by now. */
function wiresOf({ knownWires, servers }: AgentParts, provider: Provider): readonly [WireName, ...WireName[]] {
  return servers.memory.wiresOf(provider, knownWires.get(provider.baseUrl));
}

function noticeEvent(notice: ModelNotice): EventBody {
  if (notice.type === 'request.retry') return { ...notice, type: 'retry', of: 'request' };
  if (notice.type === 'calls.received') return notice;
  const { requested, served } = notice;
  return { type: 'warning', message: `The server answers with the model ${served} instead of ${requested}.` };
}

function requestOf(config: Config, model: string, threadId: string): TurnSetup['request'] {
  return {
    model,
    toolChoice: 'auto',
    parallelToolCalls: true,
    reasoning: {
      ...(config.reasoningEffort === null ? {} : { effort: config.reasoningEffort }),
      ...(config.reasoningSummary === 'none' ? {} : { summary: config.reasoningSummary }),
    },
    ...(config.verbosity === null ? {} : { text: { verbosity: config.verbosity } }),
    store: false,
    include: ['reasoning.encrypted_content'],
    cacheKey: threadId,
  };
}

function textLimitOf({ toolOutputTokenLimit }: Config, { textLimit }: ModelFacts): TextLimit {
  return toolOutputTokenLimit === null ? textLimit : { unit: 'tokens', limit: toolOutputTokenLimit };
}
