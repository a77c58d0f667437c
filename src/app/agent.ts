import { UserError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import { localTime } from '../base/local-time.ts';
import type { Provider } from '../base/provider.ts';
import type { Tool } from '../base/tool.ts';
import type { World } from '../base/world.ts';
import { type Config, type LoadOptions, loadConfig } from '../config/load-config.ts';
import { realWorld } from '../config/real-world.ts';
import { openThread } from '../engine/thread.ts';
import { findProvider } from '../model/providers/index.ts';
import { findLastThread, findRollout } from '../store/find-rollout.ts';
import { openKnownWires } from '../store/known-wires.ts';
import { openLogFile } from '../store/log-file.ts';
import { rolloutPath } from '../store/rollout.ts';
import { createActivityLog } from './activity-log.ts';
import { loadLate } from './load-late.ts';
import { createRedactor } from './redact.ts';
import { type AgentParts, setUpThread, type ThreadOptions } from './set-up-thread.ts';
import { type Thread, wrapThread } from './thread.ts';
import type { Transport } from './transport.ts';

export type { ThreadOptions } from './set-up-thread.ts';
export type { RunOptions, StreamedTurn, Thread, TurnResult } from './thread.ts';

export interface AgentOptions extends LoadOptions {
  /** Who uses the agent, as servers are told. */
  readonly originator?: string;
  /**
   * Whether this process is the agent's alone. Descriptors that it inherited are then closed before the first command,
   * which could reach out of the sandbox through them.
   */
  readonly ownProcess?: boolean;
  /** A file to record every exchange with the server in: a cassette. */
  readonly record?: string;
  /** A cassette that answers instead of the server. */
  readonly replay?: string;
  /** Gets each line of the log too, secrets removed. */
  readonly onLog?: (line: string) => void;
  /** Tools of your own, made with `defineTool`. */
  readonly tools?: readonly Tool[];
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
  /** The id of the newest thread, of this folder or of any. Throws `UserError` when there is none. */
  lastThread(options?: { readonly anyFolder?: boolean }): Promise<string>;
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
  const parts: Omit<AgentParts, 'transport'> = {
    config,
    provider,
    model,
    world,
    originator: options.originator ?? 'oxbow',
    ownProcess: options.ownProcess ?? false,
    tools: options.tools ?? [],
    knownWires: openKnownWires(config.home),
    terminals: { most: config.tools.maxTerminals, running: 0 },
    log: openActivityLog(config, world, options.onLog),
  };

  let transport: Promise<Transport> | undefined;

  async function open(id: string, path: string | null, threadOptions: ThreadOptions, resume: boolean): Promise<Thread> {
    transport ??= openTransport(options, config, world);
    const all: AgentParts = { ...parts, transport: await transport };
    const { setup, listen } = await setUpThread(all, id, path, threadOptions);
    return wrapThread(await openThread(setup, { resume }), { cwd: config.cwd, listen, onClose: all.transport.flush });
  }

  return {
    config,
    provider,
    model,
    async startThread(threadOptions = {}) {
      const id = world.uuid();
      const path = threadOptions.ephemeral
        ? null
        : rolloutPath(config.home, id, localTime(world.now(), config.timezone));
      return open(id, path, threadOptions, false);
    },
    async resumeThread(id, threadOptions = {}) {
      const path = await findRollout(config.home, id);
      if (path === undefined) throw new UserError(`There is no thread ${id} in ${config.home}.`);
      return open(id, path, threadOptions, true);
    },
    async lastThread({ anyFolder = false } = {}) {
      const id = await findLastThread(config.home, anyFolder ? null : config.cwd);
      if (id !== undefined) return id;
      const where = anyFolder ? config.home : `${config.cwd}; --all looks at those of other folders too`;
      throw new UserError(`There is no thread of ${where}.`);
    },
  };
}

const DEFAULT_MODELS: Readonly<Record<string, string>> = { openai: 'gpt-5.5' };

function noModel(provider: string): string {
  return `No model is set for the provider "${provider}". Name one with -m NAME, or with model = "NAME" in config.toml.`;
}

function openActivityLog(config: Config, world: World, onLog: AgentOptions['onLog']): (event: Event) => void {
  const file = openLogFile(config.home);
  return createActivityLog({
    level: onLog ? 'debug' : config.logLevel,
    redact: createRedactor(config.env),
    now: world.now,
    write(line) {
      if (config.logLevel !== 'off') file.write(line);
      onLog?.(line);
    },
  });
}

/** Cassettes are loaded for those who use them. */
async function openTransport({ record, replay }: AgentOptions, { env }: Config, world: World): Promise<Transport> {
  if (record === undefined && replay === undefined) return {};
  const { createTransport } = await loadLate();
  return createTransport({ record, replay, env, world });
}
