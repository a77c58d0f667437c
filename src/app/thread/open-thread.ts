import { UserError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { TakenThread } from '../../base/thread-store.ts';
import { type EngineThread, openThread } from '../../engine/thread.ts';
import { ephemeralLog } from '../../store/memory-log.ts';
import type { AgentParts, ThreadOptions } from '../agent-parts.ts';
import { checkThreadOptions } from '../options/check-thread-options.ts';
import { setUpThread } from './set-up-thread.ts';
import { type Thread, type ThreadWiring, wrapThread } from './thread.ts';
import { usableLines } from './usable-lines.ts';
import { warnAs } from './warn-as.ts';

/** Opens the threads of an agent. Throws `UserError` for options that make no sense. */
export interface ThreadOpener {
  /** Begins a thread. */
  start(options: ThreadOptions): Promise<Thread>;
  /** Takes a thread of the store and continues it. */
  take(id: string, options: ThreadOptions): Promise<Thread>;
  /** Continues a thread that `fork` makes with the parts of the new thread. It returns the id. */
  fork(fork: (parts: AgentParts) => Promise<string>, options: ThreadOptions): Promise<Thread>;
}

/** Returns the opener of an agent's threads. A thread is in the set `threads` as long as it is open. */
export function createOpener(agent: AgentParts, threads: Set<Thread>): ThreadOpener {
  const { world, store, pace } = agent;

  async function open(id: string, log: Log, { parts, options }: OwnParts, taken?: TakenThread): Promise<Thread> {
    try {
      const transport = await parts.transport();
      const { setup, listen, emitLater, close } = await setUpThread(parts, id, log, options);
      const onWarning = warnAs(setup.emit, 'thread');
      const onClose = () => {
        close();
        threads.delete(thread);
        // The threads of an agent share one recording, and others may be in the middle of a response.
        if (threads.size === 0) transport.flush?.();
      };
      const engine = await openThread(setup, taken && usableLines(taken, onWarning));
      const { cwd, notify, showRawReasoning: rawReasoning } = parts.config;
      if (notify.length > 0)
        listen((await import('./notifier.ts')).createNotifier(notify, parts, warnAs(setup.emit, 'commands')));
      const reading = readersOf(parts, engine, options, rawReasoning);
      const thread = wrapThread(engine, { cwd, listen, onClose, ...reading, onWarning: warnAs(emitLater, 'prompt') });
      threads.add(thread);
      return thread;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  async function take(id: string, own: OwnParts): Promise<Thread> {
    const taken = await store.take(id);
    return open(id, taken.log, own, taken);
  }

  return {
    async start(options) {
      checkThreadOptions('startThread', options);
      await pace.begin();
      const own = ownParts(agent, options);
      const id = world.uuid();
      return open(id, options.ephemeral ? ephemeralLog(world.now) : store.create(id), own);
    },
    async take(id, options) {
      checkThreadOptions('resumeThread', options);
      await pace.begin();
      return take(id, ownParts(agent, options));
    },
    async fork(fork, options) {
      checkThreadOptions('forkThread', options);
      const own = ownParts(agent, options);
      const id = await fork(own.parts);
      await pace.begin();
      return take(id, own);
    },
  };
}

/** Returns the functions that read the past of a thread. Their code is loaded with the first call. */
function readersOf(
  parts: AgentParts,
  { id, state }: EngineThread,
  { ephemeral }: ThreadOptions,
  rawReasoning: boolean,
): Pick<ThreadWiring, 'readItems' | 'readOutput' | 'readHistory' | 'rewinder'> {
  const { store } = parts;
  const code = () => import('./read-items.ts');
  const refuseEphemeral = (text: string) => {
    if (ephemeral) throw new UserError('not_found', text);
  };
  return {
    async readItems() {
      refuseEphemeral(NOT_KEPT);
      return (await (await code()).readItems(store, id, { rawReasoning })).map(({ item }) => item);
    },
    async readOutput(itemId) {
      return ephemeral || !state.meta ? undefined : (await code()).readOutput(store, id, itemId);
    },
    async readHistory(query) {
      refuseEphemeral(NOT_KEPT);
      return (await import('./read-history.ts')).readHistory(store, id, query, { rawReasoning });
    },
    async rewinder(opened) {
      refuseEphemeral(NO_WAY_BACK);
      return (await import('./rewind.ts')).createRewinder(parts, opened);
    },
  };
}

const NOT_KEPT = 'The items of an ephemeral thread are not kept. Listen to its events.';

const NO_WAY_BACK =
  'An ephemeral thread cannot be rewound: its turns are not kept. Roll its talk back with rollBack().';

/** The parts of one thread, and its options. */
interface OwnParts {
  /** Parts of the agent, except those that the options replace. */
  readonly parts: AgentParts;
  readonly options: ThreadOptions;
}

function ownParts(agent: AgentParts, options: ThreadOptions): OwnParts {
  const { cwd, model, tools } = options;
  const there = cwd === undefined ? agent : agent.inFolder(cwd);
  const parts: AgentParts = {
    ...there,
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools: typeof tools === 'function' ? tools : () => tools }),
  };
  return { parts, options };
}
