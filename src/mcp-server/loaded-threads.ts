import { resolve } from 'node:path';
import { type Agent, createAgent } from '../app/agent.ts';
import type { AgentOptions } from '../app/agent-options.ts';
import type { Thread } from '../app/thread/thread.ts';
import { UserError } from '../base/errors.ts';
import type { Answer, Ask } from '../base/event.ts';
import { type BorrowedAgent, type BorrowedAgents, createBorrowedAgents } from './borrowed-agents.ts';
import { type CodexToolInput, readKeptParameters, type ThreadParameters } from './read-input.ts';
import { keptParameters } from './thread-agent-options.ts';

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
  start(input: CodexToolInput, asker: Asker | undefined): Promise<UsedThread>;
  /** Returns an open thread, or opens a thread of the store. Throws while another call uses the thread. */
  use(id: string, asker: Asker | undefined): Promise<UsedThread>;
  /** Interrupts all turns and ends everything that the threads started. */
  close(): Promise<void>;
}

/** Most threads that stay open after their calls. The one that was used least recently is closed first. */
const MOST_IDLE = 16;

/** Metadata of a thread under which its parameters are kept. */
const KEPT = 'oxbow_mcp_server';

interface LoadedThread {
  readonly thread: Thread;
  readonly shared: BorrowedAgent;
  /** Whether its client could be asked when the thread was opened. The instructions of the thread depend on it. */
  readonly canAsk: boolean;
  asker: Asker | undefined;
  busy: boolean;
}

interface Loaded {
  readonly base: AgentOptions;
  readonly agents: BorrowedAgents;
  /** By id, the one that was used least recently first. */
  readonly threads: Map<string, LoadedThread>;
  /** Ids of threads that are being opened. */
  readonly opening: Set<string>;
}

/** Returns the threads of a server, none at first. */
export function createLoadedThreads(base: AgentOptions): LoadedThreads {
  const loaded: Loaded = { base, agents: createBorrowedAgents(base), threads: new Map(), opening: new Set() };
  return {
    start({ prompt: _, ...given }, asker) {
      // A folder is kept as a whole path, so that a server that starts elsewhere finds it.
      const parameters = given.cwd === undefined ? given : { ...given, cwd: resolve(given.cwd) };
      const kept = keptParameters(parameters);
      const { baseInstructions: instructions } = parameters;
      return open(loaded, { parameters, asker }, (agent, ask) =>
        agent.startThread({
          ...ask,
          ...(instructions === undefined ? {} : { instructions }),
          ...(kept === undefined ? {} : { metadata: { [KEPT]: kept } }),
        }),
      );
    },
    async use(id, asker) {
      const own = loaded.threads.get(id);
      if (own?.busy) throw inUse(id);
      if (own === undefined || own.canAsk !== (asker !== undefined)) return resume(loaded, id, asker);
      own.busy = true;
      own.asker = asker;
      return used(loaded, own);
    },
    close: loaded.agents.close,
  };
}

interface OpenOptions {
  readonly parameters: ThreadParameters;
  readonly asker: Asker | undefined;
}

async function open(
  loaded: Loaded,
  { parameters, asker }: OpenOptions,
  begin: (agent: Agent, ask: { ask?: Asker }) => Promise<Thread>,
): Promise<UsedThread> {
  const shared = loaded.agents.borrow(parameters);
  try {
    let own: LoadedThread | undefined;
    const ask: Asker = async (question, signal) => own?.asker?.(question, signal) ?? NOBODY;
    const thread = await begin(shared.agent, asker === undefined ? {} : { ask });
    own = { thread, shared, canAsk: asker !== undefined, asker, busy: true };
    loaded.threads.set(thread.id, own);
    return used(loaded, own);
  } catch (error) {
    await shared.giveBack();
    throw error;
  }
}

function used(loaded: Loaded, own: LoadedThread): UsedThread {
  const { thread, shared } = own;
  return {
    thread,
    agent: shared.agent,
    release() {
      own.busy = false;
      own.asker = undefined;
      if (loaded.threads.get(thread.id) !== own) return;
      // The thread goes to the end, as the one that was used last.
      loaded.threads.delete(thread.id);
      loaded.threads.set(thread.id, own);
      void closeOldest(loaded);
    },
  };
}

async function unload(loaded: Loaded, own: LoadedThread): Promise<void> {
  loaded.threads.delete(own.thread.id);
  try {
    await own.thread.close();
  } finally {
    await own.shared.giveBack();
  }
}

async function closeOldest(loaded: Loaded): Promise<void> {
  const idle = [...loaded.threads.values()].filter(({ busy }) => !busy);
  const old = idle.slice(0, Math.max(0, idle.length - MOST_IDLE));
  await Promise.allSettled(old.map((own) => unload(loaded, own)));
}

async function resume(loaded: Loaded, id: string, asker: Asker | undefined): Promise<UsedThread> {
  const { opening, threads, base } = loaded;
  if (opening.has(id)) throw inUse(id);
  opening.add(id);
  try {
    const before = threads.get(id);
    if (before !== undefined) await unload(loaded, before);
    const parameters = await parametersOf(id, base);
    return await open(loaded, { parameters, asker }, (agent, ask) => agent.resumeThread(id, ask));
  } finally {
    opening.delete(id);
  }
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
