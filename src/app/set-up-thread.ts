import { resolve } from 'node:path';
import { findCredentials } from '../auth/credentials.ts';
import type { TextLimit } from '../base/bound-text.ts';
import type { Files } from '../base/environment.ts';
import type { Answer, Ask, Event, EventBody } from '../base/event.ts';
import type { Model } from '../base/model.ts';
import type { Provider } from '../base/provider.ts';
import type { Tool } from '../base/tool.ts';
import type { World } from '../base/world.ts';
import type { Config } from '../config/load-config.ts';
import type { ThreadSetup } from '../engine/turn-setup.ts';
import type { TerminalCount } from '../exec/terminal-count.ts';
import { createModel, type ModelNotice } from '../model/create-model.ts';
import { type ModelFacts, modelFacts } from '../model/models.ts';
import { priceOf } from '../model/prices.ts';
import { withFallback } from '../model/with-fallback.ts';
import type { AgentsText } from '../prompt/agents/compose-agents.ts';
import type { KnownWires } from '../store/known-wires.ts';
import { noLog } from '../store/no-log.ts';
import { openRollout } from '../store/rollout.ts';
import { loadWire } from '../wire/load-wire.ts';
import { canonicalLine } from './canonical-line.ts';
import { commandVariables } from './command-variables.ts';
import { compactionOf } from './compaction-of.ts';
import { lazyEnvironment, type ReadyHands } from './lazy-environment.ts';
import { findRules, lazyJudge } from './lazy-judge.ts';
import { lazyKeeper } from './lazy-keeper.ts';
import { loadLate } from './load-late.ts';
import type { OwnEnvironment } from './own-environment.ts';
import { promptOf } from './prompt-of.ts';
import { shownBelow } from './shown-below.ts';
import type { ThreadWiring } from './thread.ts';
import { createToolSet } from './tool-set.ts';
import type { Transport } from './transport.ts';
import { userAgent } from './user-agent.ts';

/** What all threads of an agent share. */
export interface AgentParts {
  readonly config: Config;
  readonly provider: Provider;
  readonly model: string;
  readonly world: World;
  readonly originator: string;
  readonly ownProcess: boolean;
  /** Tools of the embedding program. */
  readonly tools: readonly Tool[];
  readonly knownWires: KnownWires;
  readonly terminals: TerminalCount;
  readonly hands: ReadyHands;
  readonly transport: Transport;
  /** What AGENTS.md files say now. */
  readonly agents: () => AgentsText;
  /** Hears of everything that happens in any thread. */
  log(event: Event): void;
}

export interface ThreadOptions {
  readonly onEvent?: (event: Event) => void;
  /** Answers questions whether something may happen. Without it they are answered with no. */
  readonly ask?: (ask: Ask, signal: AbortSignal) => Promise<Answer>;
  /** Keep no rollout file. */
  readonly ephemeral?: boolean;
  /** Instead of the base instructions. */
  readonly instructions?: string;
}

type Emit = ThreadSetup['emit'];
type Listen = ThreadWiring['listen'];

/** Everything that one thread works with, and how to hear of it. `path` is its rollout file; null keeps none. */
export async function setUpThread(
  parts: AgentParts,
  id: string,
  path: string | null,
  options: ThreadOptions,
): Promise<{ setup: ThreadSetup; listen: Listen }> {
  const { emit, listen } = createEvents(id);
  listen(parts.log);
  if (options.onEvent) listen(options.onEvent);
  return { setup: await setupOf(parts, id, path, options, emit), listen };
}

async function setupOf(
  parts: AgentParts,
  id: string,
  path: string | null,
  options: ThreadOptions,
  emit: Emit,
): Promise<ThreadSetup> {
  const { config, provider, world, originator } = parts;
  const facts = modelFacts(parts.model);
  const { rules, policy } = await findRules(config);
  const environment = environmentOf(parts, id, emit);
  const onWarning = (message: string) => emit({ type: 'warning', message }, null);
  const reportFault = (fault: string) => onWarning(`${path}: ${fault}`);
  const tools = createToolSet({ config, provider, facts, own: parts.tools });
  return {
    id,
    world,
    policy,
    originator,
    emit,
    version: OXBOW_VERSION,
    providerId: provider.id,
    log:
      path === null
        ? noLog
        : openRollout(path, world, reportFault, { thread: { home: config.home, id }, gate: canonicalLine }),
    model: await modelOf(parts, id, emit),
    tools,
    environment,
    judge: lazyJudge({ config, policy, rules, refusedHosts: environment.refusedHosts, onNotice: onWarning }),
    view: viewOf(config, facts, environment.files(policy.sandbox)),
    gitDiff: async () => (await loadLate()).gitDiff,
    showPath: shownBelow(config.project.root ?? config.cwd),
    prompt: promptOf({
      config,
      world,
      policy,
      model: parts.model,
      offered: tools.offered,
      canAsk: options.ask !== undefined,
      instructions: options.instructions,
      agents: parts.agents,
      onWarning,
    }),
    imageInput: facts.imageInput,
    seesImages: (model) => modelFacts(model).imageInput,
    forgetsReasoning: speaksChat(parts) && provider.compat.sendReasoning === 'turn',
    compaction: compactionOf(config.compaction, facts.contextWindow),
    price: priceOf({ provider, model: parts.model, configured: config.modelPrices }),
    request: requestOf(parts, id),
    textLimit: textLimitOf(parts),
    showRawReasoning: config.showRawReasoning,
    ...(options.ask ? { ask: options.ask } : {}),
    ...(config.snapshots.enabled && path !== null ? { keepWorkspace: lazyKeeper(parts, id, onWarning) } : {}),
  };
}

function viewOf(
  { cwd, shell, repairArgv }: Config,
  { imageInput, originalImages }: ModelFacts,
  files: Files,
): ThreadSetup['view'] {
  const inputs = { images: imageInput, originalImages };
  return { cwd, shell, repairArgv, resolve: (relative) => resolve(cwd, relative), files, inputs };
}

function createEvents(threadId: string): { emit: Emit; listen: Listen } {
  const listeners = new Set<(event: Event) => void>();
  let seq = 0;
  return {
    emit(body, turnId) {
      const event: Event = { ...body, v: 1, seq: ++seq, threadId, turnId };
      for (const listener of listeners) listener(event);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

async function modelOf(parts: AgentParts, threadId: string, emit: Emit): Promise<Model> {
  const { config, provider, world, originator, knownWires, transport } = parts;
  const via = async (wire: 'responses' | 'chat') =>
    createModel({
      ...transport,
      provider,
      world,
      wire: await loadWire(wire),
      repair: async () => (await loadLate()).repairStream,
      adapt: () => loadLate(),
      // A cassette asks for no key.
      credentials: async () => (transport.http ? {} : findCredentials(provider, config)),
      identity: { threadId, originator, userAgent: userAgent(originator, OXBOW_VERSION) },
      env: config.env,
      onNotice: (notice) => emit(noticeEvent(notice), null),
    });
  if (provider.wire !== 'auto') return via(provider.wire);
  const isChat = speaksChat(parts);
  const second = isChat ? 'responses' : 'chat';
  const first = await via(isChat ? 'chat' : 'responses');
  return withFallback(
    first,
    () => via(second),
    () => knownWires.set(provider.baseUrl, second),
  );
}

/** As far as is known before the first request. */
function speaksChat({ provider, knownWires }: AgentParts): boolean {
  return (provider.wire === 'auto' ? knownWires.get(provider.baseUrl) : provider.wire) === 'chat';
}

function noticeEvent(notice: ModelNotice): EventBody {
  if (notice.type === 'request.retry') return { ...notice, type: 'retry', of: 'request' };
  if (notice.type === 'calls.received') return notice;
  const { requested, served } = notice;
  return { type: 'warning', message: `The server answers with the model ${served} instead of ${requested}.` };
}

function environmentOf(
  { config, provider, world, ownProcess, terminals, hands }: AgentParts,
  threadId: string,
  emit: Emit,
): OwnEnvironment {
  return lazyEnvironment(async () => {
    const { createOwnEnvironment } = await loadLate();
    return createOwnEnvironment({
      world,
      threadId,
      ownProcess,
      terminals,
      version: OXBOW_VERSION,
      cwd: config.cwd,
      shell: config.shell,
      baseEnv: config.env,
      environmentPolicy: commandVariables(config, provider),
      onNote: (message) => emit({ type: 'warning', message }, null),
    });
  }, hands);
}

function requestOf({ config, model }: AgentParts, threadId: string): ThreadSetup['request'] {
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

function textLimitOf({ config, model }: AgentParts): TextLimit {
  if (config.toolOutputTokenLimit === null) return modelFacts(model).textLimit;
  return { unit: 'tokens', limit: config.toolOutputTokenLimit };
}
