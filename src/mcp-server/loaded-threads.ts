import { resolve } from 'node:path';
import { type Agent, createAgent } from '../app/agent.ts';
import type { AgentOptions } from '../app/agent-options.ts';
import { createServers } from '../app/servers.ts';
import type { Thread } from '../app/thread/thread.ts';
import { UserError } from '../base/errors.ts';
import type { Answer, Ask } from '../base/event.ts';
import { type CodexInput, readKeptParameters, type ThreadParameters } from './read-input.ts';
import { keptParameters, threadAgentOptions } from './thread-agent-options.ts';

/** Asks the client whether an action may happen. */
export type Asker = (ask: Ask, signal: AbortSignal) => Promise<Answer>;

/** A thread that is open in this process, for one call. */
export interface UsedThread {
  readonly thread: Thread;
  readonly agent: Pick<Agent, 'config' | 'model' | 'provider'>;
  /** Lets another call use the thread. */
  release(): void;
}

/** The threads that are open in this process. All methods throw `UserError`. */
export interface LoadedThreads {
  /** Starts a thread. Without `asker` no action that needs approval happens. */
  start(input: CodexInput, asker: Asker | undefined): Promise<UsedThread>;
  /** Returns an open thread, or opens a thread of the store. Throws while another call uses the thread. */
  use(id: string, asker: Asker | undefined): Promise<UsedThread>;
  /** Interrupts all turns and ends everything that the threads started. */
  close(): Promise<void>;
}

/** Most threads that stay open after their calls. The one that was used least recently is closed first. */
const MOST_IDLE = 16;

/** Metadata of a thread under which its parameters are kept. */
const KEPT = 'oxbow_mcp_server';

interface SharedAgent {
  readonly key: string;
  readonly agent: Agent;
  /** Threads that use it, open or about to be. */
  users: number;
}

interface LoadedThread {
  readonly thread: Thread;
  readonly shared: SharedAgent;
  /** Whether its client could be asked when the thread was opened. The instructions of the thread depend on it. */
  readonly canAsk: boolean;
  asker: Asker | undefined;
  busy: boolean;
}

/** Returns the threads of a server, none at first. Agents with the same configuration are shared, and so are connections. */
export function createLoadedThreads(base: AgentOptions): LoadedThreads {
  const servers = createServers();
  const agents = new Map<string, SharedAgent>();
  /** By id, the one that was used least recently first. */
  const loaded = new Map<string, LoadedThread>();
  const opening = new Set<string>();
  let closing: Promise<void> | undefined;

  /** Returns the agent for some parameters as the configuration files are now. */
  function borrowAgent(parameters: ThreadParameters): SharedAgent {
    if (closing !== undefined) throw new UserError('closed', 'The server is stopping.');
    const options = threadAgentOptions(base, parameters);
    const agent = createAgent({ ...options, servers });
    // The providers are hidden from JSON, but a changed provider is another configuration.
    const key = JSON.stringify([options.overrides, options.settings, agent.config, agent.config.modelProviders]);
    const known = agents.get(key);
    const shared = known ?? { key, agent, users: 0 };
    if (known !== undefined) void agent.close();
    agents.set(key, shared);
    shared.users++;
    return shared;
  }

  async function returnAgent(shared: SharedAgent): Promise<void> {
    shared.users--;
    if (shared.users > 0) return;
    agents.delete(shared.key);
    await shared.agent.close();
  }

  async function open(
    parameters: ThreadParameters,
    asker: Asker | undefined,
    begin: (agent: Agent, ask: { ask?: Asker }) => Promise<Thread>,
  ): Promise<UsedThread> {
    const shared = borrowAgent(parameters);
    try {
      let own: LoadedThread | undefined;
      const ask: Asker = async (question, signal) => own?.asker?.(question, signal) ?? NOBODY;
      const thread = await begin(shared.agent, asker === undefined ? {} : { ask });
      own = { thread, shared, canAsk: asker !== undefined, asker, busy: true };
      loaded.set(thread.id, own);
      return used(own);
    } catch (error) {
      await returnAgent(shared);
      throw error;
    }
  }

  function used(own: LoadedThread): UsedThread {
    const { thread, shared } = own;
    return {
      thread,
      agent: shared.agent,
      release() {
        own.busy = false;
        own.asker = undefined;
        if (loaded.get(thread.id) !== own) return;
        // The thread goes to the end, as the one that was used last.
        loaded.delete(thread.id);
        loaded.set(thread.id, own);
        void closeOldest();
      },
    };
  }

  async function unload(own: LoadedThread): Promise<void> {
    loaded.delete(own.thread.id);
    try {
      await own.thread.close();
    } finally {
      await returnAgent(own.shared);
    }
  }

  async function closeOldest(): Promise<void> {
    const idle = [...loaded.values()].filter(({ busy }) => !busy);
    const old = idle.slice(0, Math.max(0, idle.length - MOST_IDLE));
    await Promise.allSettled(old.map(unload));
  }

  async function resume(id: string, asker: Asker | undefined): Promise<UsedThread> {
    if (opening.has(id)) throw inUse(id);
    opening.add(id);
    try {
      const before = loaded.get(id);
      if (before !== undefined) await unload(before);
      const parameters = await parametersOf(id, base);
      return await open(parameters, asker, (agent, ask) => agent.resumeThread(id, ask));
    } finally {
      opening.delete(id);
    }
  }

  return {
    start({ prompt: _, ...given }, asker) {
      // A folder is kept as a whole path, so that a server that starts elsewhere finds it.
      const parameters = given.cwd === undefined ? given : { ...given, cwd: resolve(given.cwd) };
      const kept = keptParameters(parameters);
      const { baseInstructions: instructions } = parameters;
      return open(parameters, asker, (agent, ask) =>
        agent.startThread({
          ...ask,
          ...(instructions === undefined ? {} : { instructions }),
          ...(kept === undefined ? {} : { metadata: { [KEPT]: kept } }),
        }),
      );
    },
    async use(id, asker) {
      const own = loaded.get(id);
      if (own?.busy) throw inUse(id);
      if (own === undefined || own.canAsk !== (asker !== undefined)) return resume(id, asker);
      own.busy = true;
      own.asker = asker;
      return used(own);
    },
    close() {
      closing ??= (async () => {
        await Promise.allSettled([...agents.values()].map(({ agent }) => agent.close()));
        await servers.close();
      })();
      return closing;
    },
  };
}

const NOBODY: Answer = { type: 'decline', message: 'No call is running whose client could be asked.' };

function inUse(id: string): UserError {
  return new UserError(
    'in_use',
    `A turn of the thread ${id} is still running. Wait for its result or cancel it, then send the prompt again.`,
  );
}

/** Returns the parameters that a thread was started with. A thread of another program works in its own folder. */
async function parametersOf(id: string, base: AgentOptions): Promise<ThreadParameters> {
  // The thread may bring the name of the model, which the configuration then does not need.
  const agent = createAgent({ ...base, settings: { model: 'unknown', ...base.settings } });
  try {
    const { cwd, metadata } = await agent.threads.find(id);
    const kept = readKeptParameters(metadata[KEPT]);
    return cwd === null ? kept : { cwd, ...kept };
  } finally {
    await agent.close();
  }
}
