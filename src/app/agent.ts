import { UserError } from '../base/errors.ts';
import { localTime } from '../base/local-time.ts';
import type { Provider } from '../base/provider.ts';
import type { World } from '../base/world.ts';
import { type Config, type LoadOptions, loadConfig } from '../config/load-config.ts';
import { openThread, type Thread } from '../engine/thread.ts';
import { findProvider } from '../model/providers/index.ts';
import { findRollout } from '../store/find-rollout.ts';
import { rolloutPath } from '../store/rollout.ts';
import { type AgentParts, setUpThread, type ThreadOptions } from './set-up-thread.ts';
import { realWorld } from './world.ts';

export type { RunOptions, Thread, TurnResult } from '../engine/thread.ts';
export type { ThreadOptions } from './set-up-thread.ts';

export interface AgentOptions extends LoadOptions {
  /** Who uses the agent, as servers are told. */
  readonly originator?: string;
  /**
   * Whether this process is the agent's alone. Descriptors that it inherited are then closed before the first command,
   * which could reach out of the sandbox through them.
   */
  readonly ownProcess?: boolean;
  /** Clock, ids and chance; tests hand in their own. */
  readonly world?: World;
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
  const parts: AgentParts = { config, provider, model, world, originator, ownProcess: options.ownProcess ?? false };
  return {
    config,
    provider,
    model,
    async startThread(threadOptions = {}) {
      const id = world.uuid();
      const path = threadOptions.ephemeral
        ? null
        : rolloutPath(config.home, id, localTime(world.now(), config.timezone));
      return openThread(setUpThread(parts, id, path, threadOptions), { resume: false });
    },
    async resumeThread(id, threadOptions = {}) {
      const path = await findRollout(config.home, id);
      if (path === undefined) throw new UserError(`There is no thread ${id} in ${config.home}.`);
      return openThread(setUpThread(parts, id, path, threadOptions), { resume: true });
    },
  };
}

const DEFAULT_MODELS: Readonly<Record<string, string>> = { openai: 'gpt-5.5' };

function noModel(provider: string): string {
  return `No model is set for the provider "${provider}". Name one with -m NAME, or with model = "NAME" in config.toml.`;
}
