import { resolve } from 'node:path';
import { conceal } from '../base/conceal.ts';
import { lazy } from '../base/lazy.ts';
import type { Provider } from '../base/provider.ts';
import type { World } from '../base/world.ts';
import { type Config, loadConfig } from '../config/load-config.ts';
import { realWorld } from '../config/real-world.ts';
import { requireGuards } from '../config/unused-keys.ts';
import { createServerMemory } from '../model/server-memory.ts';
import { takeMcpServers } from './agent-mcp.ts';
import type { AgentOptions } from './agent-options.ts';
import type { AgentParts } from './agent-parts.ts';
import { createObserver } from './log/observer.ts';
import { agentsFilesOf, openHome } from './open-home.ts';
import { chosenTools } from './options/chosen-tools.ts';
import { createKeyParts } from './own-credentials.ts';
import { serverParts } from './servers.ts';
import { chooseModel, configuredProvider } from './thread/choose-model.ts';
import { createThreadPace } from './thread/thread-pace.ts';
import type { Transport, TransportOptions } from './thread/transport.ts';

/** Makes the parts that the threads of an agent share. `close` ends the parts that belong to this agent alone. */
export function createAgentParts(given: AgentOptions): { readonly parts: AgentParts; close(): Promise<void> } {
  const { options, open } = takeMcpServers(given);
  const config = loadConfig(options);
  const servers = serverParts(options.servers, config);
  const { http } = servers;
  const world = options.world ?? realWorld();
  const { logFile, knownWires, store, seenLimits } = openHome(config, world, options.store);
  const { keys, credentials, secrets } = createKeyParts(options.credentials, config, {
    now: world.now,
    tokens: async (refused) => {
      const { http: given = http } = await parts.transport();
      const { signInTokens } = await import('./thread/sign-in-tokens.ts');
      return signInTokens({ config, http: given, now: world.now, refused });
    },
    keyInKeyring: async () => (await import('./thread/sign-in-tokens.ts')).keyInKeyring(config),
  });
  const mcp = open(config, { world, knownWires, http });
  const parts: AgentParts = {
    ...partsOfFolder(config, world, credentials),
    world,
    originator: config.originator ?? options.originator ?? 'oxbow',
    source: options.source ?? 'exec',
    ownProcess: options.ownProcess ?? false,
    tools: toolsOf(options),
    builtInTools: chosenTools(options.builtInTools),
    hooks: options,
    ownModel: ownModelOf(options),
    ownEnvironment: options.environment,
    limiter: options.limiter,
    credentials,
    keys,
    knownWires,
    seenLimits,
    terminals: { most: config.tools.maxTerminals, running: 0 },
    warmUps: { warm: 0, unused: 0 },
    pace: createThreadPace(),
    mcp: mcp?.load,
    transport: lazy(() => openTransport(options, { env: config.env, offline: config.offline, secrets, http, world })),
    log: createObserver(options, { config, world, logFile, secrets }),
    configWarnings: [...config.warnings],
    inFolder(cwd) {
      const home = options.home === undefined ? {} : { home: config.home };
      const there = loadConfig({ ...options, ...home, cwd: resolve(config.cwd, cwd) });
      const configWarnings = there.warnings.filter((warning) => !config.warnings.includes(warning));
      return { ...parts, ...partsOfFolder(there, world, credentials), configWarnings };
    },
    store,
    // A cassette must hold the refusals that teach a lesson. Agents that have already learned the lesson would leave
    // them out.
    servers: { http, memory: usesCassette(options) ? createServerMemory() : servers.memory },
  };
  return {
    parts,
    async close() {
      await mcp?.close();
      if (options.servers === undefined) await servers.close();
      logFile.close();
    },
  };
}

/** Returns the parts that programs see. Programs log them, so their keys are concealed. */
export function shownParts(config: Config, provider: Provider): Pick<AgentParts, 'config' | 'provider'> {
  const tools = conceal({ ...config.tools }, ['mcp']);
  return {
    config: Object.freeze(conceal({ ...config, tools }, ['env', 'modelProviders'])),
    provider: conceal({ ...provider }, ['bearerToken', 'headers', 'queryParams']),
  };
}

/** Returns the parts that follow from the configuration of a folder. */
function partsOfFolder(
  config: Config,
  world: World,
  credentials: AgentParts['credentials'],
): Pick<AgentParts, 'config' | 'provider' | 'model' | 'agents'> {
  requireGuards(config);
  const provider = configuredProvider(config, credentials);
  return { config, provider, model: chooseModel(config, provider), agents: agentsFilesOf(config, world) };
}

function toolsOf({ tools = [] }: AgentOptions): AgentParts['tools'] {
  return typeof tools === 'function' ? tools : () => tools;
}

function ownModelOf({ model }: AgentOptions): AgentParts['ownModel'] {
  return model === undefined || typeof model === 'function' ? model : () => model;
}

/** Reports whether requests are recorded in a cassette or answered from one. */
function usesCassette({ record, replay }: AgentOptions): boolean {
  return record !== undefined || replay !== undefined;
}

/** Opens the transport of requests. The code for cassettes is loaded only when a cassette is used. */
async function openTransport(
  options: AgentOptions,
  parts: Pick<TransportOptions, 'env' | 'offline' | 'secrets' | 'http' | 'world'>,
): Promise<Transport> {
  const { record, replay } = options;
  if (!usesCassette(options) && options.fetch === undefined) return {};
  const { createTransport } = await import('./thread/transport.ts');
  return createTransport({ record, replay, fetch: options.fetch, ...parts });
}
