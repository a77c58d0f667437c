import { isAbsolute, resolve } from 'node:path';
import { findCredentials } from '../auth/credentials.ts';
import type { TextLimit } from '../base/bound-text.ts';
import { UserError } from '../base/errors.ts';
import type { Answer, Ask, Event } from '../base/event.ts';
import type { Provider } from '../base/provider.ts';
import type { World } from '../base/world.ts';
import { type Config, type LoadOptions, loadConfig } from '../config/load-config.ts';
import { openThread, type Thread } from '../engine/thread.ts';
import type { ThreadSetup } from '../engine/turn-setup.ts';
import { createLocalEnvironment } from '../exec/local-environment.ts';
import { createModel } from '../model/create-model.ts';
import { modelFacts } from '../model/models.ts';
import { findProvider } from '../model/providers/index.ts';
import { environmentContext } from '../prompt/environment-context.ts';
import instructions from '../prompt/instructions.md';
import { findRollout } from '../store/find-rollout.ts';
import { noLog } from '../store/no-log.ts';
import { openRollout, rolloutPath } from '../store/rollout.ts';
import { builtInTools, COMMAND_TOOLS } from '../tools/index.ts';
import { loadWire } from '../wire/index.ts';
import { createToolSet } from './tool-set.ts';
import { userAgent } from './user-agent.ts';
import { realWorld } from './world.ts';

export type { RunOptions, Thread, TurnResult } from '../engine/thread.ts';

export interface AgentOptions extends LoadOptions {
  /** Who uses the agent, as servers are told. */
  readonly originator?: string;
  /** Clock, ids and chance; tests hand in their own. */
  readonly world?: World;
}

export interface ThreadOptions {
  readonly onEvent?: (event: Event) => void;
  /** Answers questions whether something may happen. Without it they are answered with no. */
  readonly ask?: (ask: Ask, signal: AbortSignal) => Promise<Answer>;
  /** Keep no rollout file. */
  readonly ephemeral?: boolean;
}

export interface Agent {
  readonly config: Config;
  readonly provider: Provider;
  readonly model: string;
  startThread(options?: ThreadOptions): Promise<Thread>;
  /** Goes on with a thread of an earlier process. Throws `UserError` when there is none of that id. */
  resumeThread(id: string, options?: ThreadOptions): Promise<Thread>;
}

/** An agent as the configuration describes it. Throws `UserError` when that makes no sense. */
export function createAgent(options: AgentOptions = {}): Agent {
  const config = loadConfig(options);
  const world = options.world ?? realWorld();
  const provider = findProvider(config.modelProvider, config.modelProviders, {
    ...(config.openaiBaseUrl === null ? {} : { openaiBaseUrl: config.openaiBaseUrl }),
  });
  const model = config.model ?? DEFAULT_MODELS[provider.id];
  if (model === undefined) throw new UserError(noModel(provider.id));
  const originator = options.originator ?? 'oxbow';
  const parts: Parts = { config, provider, model, world, originator };
  return {
    config,
    provider,
    model,
    async startThread(threadOptions = {}) {
      const id = world.uuid();
      const path = threadOptions.ephemeral ? null : rolloutPath(config.home, id, world.now());
      return openThread(await setUp(parts, id, path, threadOptions), { resume: false });
    },
    async resumeThread(id, threadOptions = {}) {
      const path = await findRollout(config.home, id);
      if (path === undefined) throw new UserError(`There is no thread ${id} in ${config.home}.`);
      return openThread(await setUp(parts, id, path, threadOptions), { resume: true });
    },
  };
}

const DEFAULT_MODELS: Readonly<Record<string, string>> = { openai: 'gpt-5.5' };

function noModel(provider: string): string {
  return `No model is set for the provider "${provider}". Name one with -m NAME, or with model = "NAME" in config.toml.`;
}

interface Parts {
  readonly config: Config;
  readonly provider: Provider;
  readonly model: string;
  readonly world: World;
  readonly originator: string;
}

async function setUp(parts: Parts, id: string, path: string | null, options: ThreadOptions): Promise<ThreadSetup> {
  const { config, provider, world, originator } = parts;
  const { policy, cwd } = config;
  const shell = findShell(config);
  const emit = createEmit(id, options);
  const reportFault = (fault: string) => emit({ type: 'warning', message: `${path}: ${fault}` }, null);
  return {
    id,
    world,
    policy,
    emit,
    log: path === null ? noLog : openRollout(path, world, reportFault),
    textLimit: textLimitOf(parts),
    originator,
    version: OXBOW_VERSION,
    providerId: provider.id,
    model: createModel({
      provider,
      wire: await loadWire(provider.wire),
      credentials: () => findCredentials(provider, config),
      identity: { threadId: id, originator, userAgent: userAgent(originator, OXBOW_VERSION) },
      world,
      env: config.env,
    }),
    tools: createToolSet(builtInTools, COMMAND_TOOLS[config.commandTool]),
    environment: createLocalEnvironment({
      sandbox: policy.sandbox,
      shell,
      baseEnv: config.env,
      environmentPolicy: config.shellEnvironment,
      threadId: id,
      version: OXBOW_VERSION,
      world,
    }),
    view: {
      cwd,
      shell,
      repairArgv: config.repairArgv,
      resolve: (path) => (isAbsolute(path) ? path : resolve(cwd, path)),
    },
    prompt: {
      instructions: instructions.trim(),
      environmentContext: () =>
        environmentContext({ cwd, shell, policy, date: dayOf(world.now()), timezone: config.timezone }),
    },
    request: requestOf(parts, id),
    ...(options.ask ? { ask: options.ask } : {}),
  };
}

function createEmit(threadId: string, { onEvent }: ThreadOptions): ThreadSetup['emit'] {
  let seq = 0;
  return (event, turnId) => onEvent?.({ ...event, v: 1, seq: ++seq, threadId, turnId });
}

function requestOf({ config, model }: Parts, id: string): ThreadSetup['request'] {
  return {
    model,
    toolChoice: 'auto',
    parallelToolCalls: true,
    reasoning: {
      ...(config.reasoningEffort === null ? {} : { effort: config.reasoningEffort }),
      ...(config.reasoningSummary === 'none' ? {} : { summary: config.reasoningSummary }),
    },
    store: false,
    include: ['reasoning.encrypted_content'],
    cacheKey: id,
  };
}

function textLimitOf({ config, model }: Parts): TextLimit {
  if (config.toolOutputTokenLimit === null) return modelFacts(model).textLimit;
  return { unit: 'tokens', limit: config.toolOutputTokenLimit };
}

/** The user's shell where we know how to drive it. */
function findShell({ env }: Config): string {
  const known = /\/(bash|zsh|sh)$/.test(env.SHELL ?? '');
  return known && env.SHELL ? env.SHELL : '/bin/bash';
}

function dayOf(now: number): string {
  const date = new Date(now);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
