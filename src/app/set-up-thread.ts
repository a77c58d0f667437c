import { resolve } from 'node:path';
import { findCredentials } from '../auth/credentials.ts';
import type { TextLimit } from '../base/bound-text.ts';
import type { Environment } from '../base/environment.ts';
import type { Answer, Ask, Event, EventBody } from '../base/event.ts';
import { formatDay, localTime } from '../base/local-time.ts';
import type { Model } from '../base/model.ts';
import type { Provider } from '../base/provider.ts';
import type { World } from '../base/world.ts';
import type { Config } from '../config/load-config.ts';
import type { ThreadSetup } from '../engine/turn-setup.ts';
import { createModel, type ModelNotice } from '../model/create-model.ts';
import { modelFacts } from '../model/models.ts';
import { environmentContext } from '../prompt/environment-context.ts';
import instructions from '../prompt/instructions.md';
import { noLog } from '../store/no-log.ts';
import { openRollout } from '../store/rollout.ts';
import { builtInTools, COMMAND_TOOLS } from '../tools/index.ts';
import { findWire } from '../wire/index.ts';
import { lazyEnvironment } from './lazy-environment.ts';
import { createToolSet } from './tool-set.ts';
import { userAgent } from './user-agent.ts';

/** What all threads of an agent share. */
export interface AgentParts {
  readonly config: Config;
  readonly provider: Provider;
  readonly model: string;
  readonly world: World;
  readonly originator: string;
  readonly ownProcess: boolean;
}

export interface ThreadOptions {
  readonly onEvent?: (event: Event) => void;
  /** Answers questions whether something may happen. Without it they are answered with no. */
  readonly ask?: (ask: Ask, signal: AbortSignal) => Promise<Answer>;
  /** Keep no rollout file. */
  readonly ephemeral?: boolean;
}

type Emit = ThreadSetup['emit'];

/** Everything that one thread works with. `path` is its rollout file; null keeps none. */
export function setUpThread(parts: AgentParts, id: string, path: string | null, options: ThreadOptions): ThreadSetup {
  const { config, provider, world, originator } = parts;
  const { cwd, policy, shell, timezone } = config;
  const emit = createEmit(id, options);
  const reportFault = (fault: string) => emit({ type: 'warning', message: `${path}: ${fault}` }, null);
  return {
    id,
    world,
    policy,
    originator,
    emit,
    version: OXBOW_VERSION,
    providerId: provider.id,
    log: path === null ? noLog : openRollout(path, world, reportFault),
    model: modelOf(parts, id, emit),
    tools: createToolSet(builtInTools, COMMAND_TOOLS[config.commandTool]),
    environment: environmentOf(parts, id, emit),
    view: { cwd, shell, repairArgv: config.repairArgv, resolve: (relative) => resolve(cwd, relative) },
    prompt: {
      instructions: instructions.trim(),
      environmentContext: () =>
        environmentContext({ cwd, shell, policy, timezone, date: formatDay(localTime(world.now(), timezone)) }),
    },
    request: requestOf(parts, id),
    textLimit: textLimitOf(parts),
    ...(options.ask ? { ask: options.ask } : {}),
  };
}

function createEmit(threadId: string, { onEvent }: ThreadOptions): Emit {
  let seq = 0;
  return (event, turnId) => onEvent?.({ ...event, v: 1, seq: ++seq, threadId, turnId });
}

function modelOf({ config, provider, world, originator }: AgentParts, threadId: string, emit: Emit): Model {
  return createModel({
    provider,
    world,
    wire: findWire(provider.wire),
    credentials: () => findCredentials(provider, config),
    identity: { threadId, originator, userAgent: userAgent(originator, OXBOW_VERSION) },
    env: config.env,
    onNotice: (notice) => emit(noticeEvent(notice), null),
  });
}

function noticeEvent(notice: ModelNotice): EventBody {
  if (notice.type === 'request.retry') return { ...notice, type: 'retry', of: 'request' };
  const { requested, served } = notice;
  return { type: 'warning', message: `The server answers with the model ${served} instead of ${requested}.` };
}

function environmentOf({ config, world, ownProcess }: AgentParts, threadId: string, emit: Emit): Environment {
  return lazyEnvironment(async () => {
    const { createOwnEnvironment } = await import('./own-environment.ts');
    return createOwnEnvironment({
      world,
      threadId,
      ownProcess,
      version: OXBOW_VERSION,
      cwd: config.cwd,
      shell: config.shell,
      sandbox: config.policy.sandbox,
      baseEnv: config.env,
      environmentPolicy: config.shellEnvironment,
      onNote: (message) => emit({ type: 'warning', message }, null),
    });
  });
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
    store: false,
    include: ['reasoning.encrypted_content'],
    cacheKey: threadId,
  };
}

function textLimitOf({ config, model }: AgentParts): TextLimit {
  if (config.toolOutputTokenLimit === null) return modelFacts(model).textLimit;
  return { unit: 'tokens', limit: config.toolOutputTokenLimit };
}
