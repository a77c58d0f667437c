import type { CallHooks, GuardedHook } from '../../base/call-hooks.ts';
import type { Event } from '../../base/event.ts';
import { lazy } from '../../base/lazy.ts';
import type { Log } from '../../base/log.ts';
import type { Config } from '../../config/load-config.ts';
import { realPath } from '../../config/real-path.ts';
import type { ThreadSetup } from '../../engine/turn-setup.ts';
import type { AgentParts, ThreadOptions } from '../agent-parts.ts';
import { guardCallback } from '../options/guard-callback.ts';
import type { ThreadMcp } from '../servers.ts';
import { type LoadedRules, NO_RULES } from './loaded-rules.ts';
import { createTurnSetups } from './set-up-turn.ts';
import type { ThreadWiring } from './thread.ts';
import { environmentOf } from './thread-environment.ts';
import { accompanied, snapshotsOf } from './thread-snapshots.ts';
import { warnAs } from './warn-as.ts';

type Emit = ThreadSetup['emit'];
type Listen = ThreadWiring['listen'];

/**
 * Returns the setup of one thread, and the function to listen to its events. `emitLater` keeps an event until the thread
 * has started, as `thread.started` is the first event.
 */
export async function setUpThread(
  parts: AgentParts,
  id: string,
  log: Log,
  options: ThreadOptions,
): Promise<{ setup: ThreadSetup; listen: Listen; emitLater: Emit; close(): void }> {
  const { emit, listen } = createEvents(id);
  const waiting: Parameters<Emit>[] = [];
  let started = false;
  const emitLater: Emit = (...event) => (started ? emit(...event) : void waiting.push(event));
  listen(parts.log);
  listen(({ type }) => {
    if (type !== 'thread.started') return;
    started = true;
    parts.configWarnings.splice(0).forEach(warnAs(emit, 'config'));
    for (const event of waiting.splice(0)) emit(...event);
  });
  const guarded = (name: string, listener: (event: Event) => void) =>
    guardCallback(name, listener, warnAs(emit, 'callback'));
  if (options.onEvent) listen(guarded('onEvent', options.onEvent));
  const mcp = await joinServers(parts, emitLater);
  return {
    setup: await setupOf(parts, id, log, options, { emit, emitLater, mcp }).catch((error: unknown) => {
      mcp?.leave();
      throw error;
    }),
    emitLater,
    close: () => mcp?.leave(),
    listen: (listener) => listen(guarded('subscribe', listener)),
  };
}

async function setupOf(
  parts: AgentParts,
  id: string,
  log: Log,
  options: ThreadOptions,
  { emit, emitLater, mcp }: { readonly emit: Emit; readonly emitLater: Emit; readonly mcp: ThreadMcp | undefined },
): Promise<ThreadSetup> {
  const { config, world, originator, source } = parts;
  const environment = environmentOf(parts, id, emit);
  const rules = await findRules(config);
  const turn = createTurnSetups({
    agent: parts,
    threadId: id,
    options,
    environment,
    rules,
    mcp: mcp?.tools,
    emit,
    emitLater,
  });
  const snapshots = snapshotsOf(parts, id, log, options, emit);
  // Reports a mistake in the configuration before the thread begins. With a model, as no server is to be asked for one.
  const initial = await turn({ model: parts.model });
  return {
    id,
    world,
    originator,
    source,
    version: OXBOW_VERSION,
    log,
    metadata: options.metadata,
    history: options.history,
    environment: accompanied(environment, mcp, snapshots?.background),
    async turn(overrides, signal) {
      await parts.pace.begin();
      await mcp?.ready(signal);
      return turn(overrides);
    },
    initial,
    userSetup: (overrides) => turn({ ...overrides, approvalPolicy: 'on-request' }),
    gitDiff: lazy(async () => (await import('../../patch/git-diff.ts')).gitDiff),
    showPath: relativeTo(config.project.root ?? config.cwd),
    emit,
    hooks: await hooksOf([parts.hooks, options], warnAs(emit, 'callback')),
    ...(options.ask ? { ask: options.ask } : {}),
    ...(options.keepOutputs && config.usesHome ? { outputs: await keeperOf(config.home, id) } : {}),
    ...(snapshots && { snapshotWorkspace: snapshots.take }),
  };
}

/** Starts the MCP servers of the agent, and returns their part in the thread. Their code is loaded only if there are any. */
async function joinServers(parts: AgentParts, emit: Emit): Promise<ThreadMcp | undefined> {
  if (parts.mcp === undefined) return undefined;
  const { join } = await parts.mcp();
  return join(parts, emit);
}

async function keeperOf(home: string, id: string): Promise<NonNullable<ThreadSetup['outputs']>> {
  return (await import('../../store/files/kept-outputs.ts')).createKeptOutputs(home, id);
}

/** Returns how to show paths without links: relative to the folder when they lie below it, absolute otherwise. */
function relativeTo(folder: string): (path: string) => string {
  let root: string | undefined;
  return (path) => {
    root ??= realPath(folder);
    const start = root.endsWith('/') ? root : `${root}/`;
    return path.startsWith(start) ? path.slice(start.length) : path;
  };
}

/**
 * Reads the configured rules. Throws `UserError` for a file with a mistake. The parser is loaded only when there are
 * files.
 */
async function findRules(config: Config): Promise<LoadedRules> {
  if (config.rules.sources.length === 0 && !config.rules.hasProjects) return NO_RULES;
  return (await import('./load-rules.ts')).loadRules(config);
}

/** Returns the hooks around calls: those of the agent, and inside them those of the thread. */
async function hooksOf(given: readonly CallHooks[], warn: (message: string) => void): Promise<readonly GuardedHook[]> {
  const hooks = given.filter(({ beforeCall, afterCall }) => beforeCall ?? afterCall);
  if (hooks.length === 0) return [];
  const { guardHook } = await import('../options/guard-hook.ts');
  return hooks.map((hook) => guardHook(hook, warn));
}

function createEvents(threadId: string): { emit: Emit; listen: Listen } {
  const listeners = new Set<(event: Event) => void>();
  /** Events that listeners have caused, and the one that they are being called with. */
  const waiting: Event[] = [];
  let seq = 0;
  return {
    emit(body, turnId) {
      // V8 adds properties to the copy of an object much more slowly than it copies an object into another one.
      waiting.push({ v: 1, seq: ++seq, threadId, turnId, ...body });
      if (waiting.length > 1) return;
      for (let event = waiting[0]; event !== undefined; waiting.shift(), event = waiting[0]) {
        for (const listener of listeners) listener(event);
      }
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
