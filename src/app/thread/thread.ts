import type { Event, ThreadItem } from '../../base/event.ts';
import type { Input, QueuedInput } from '../../base/input.ts';
import type { ContentPart } from '../../base/item.ts';
import { createSerialQueue } from '../../engine/state/serial-queue.ts';
import type { ThreadState } from '../../engine/state/thread-state.ts';
import type { CompactOptions, EngineThread, RunOptions } from '../../engine/thread.ts';
import type { EngineTurnResult } from '../../engine/turn/turn.ts';
import { inputContent } from '../../prompt/input-content.ts';
import { createEventQueue } from './event-queue.ts';

export type { CompactOptions, RunOptions } from '../../engine/thread.ts';

/** A thread: turns, one after the other, over one history. */
export interface Thread {
  readonly id: string;
  /** The path of its rollout file; null where it is not kept in one. */
  readonly path: string | null;
  /** What the thread knows: the fold over its log. */
  readonly state: Readonly<ThreadState>;
  /**
   * Runs one turn to its end. Does not throw for what models, servers and tools do: the result says how it went. Throws
   * `UserError` for input that cannot be sent, such as a file that is no image. An empty list says nothing of its own: the
   * turn is about what is queued, and `UserError` is thrown when nothing is. The options may give the turn settings of its
   * own, such as another model or sandbox; terminals that run are left alone.
   */
  run(input: Input, options?: RunOptions): Promise<TurnResult>;
  /** Runs one turn and gives its events as they happen. Leaving the loop over them interrupts the turn. */
  runStreamed(input: Input, options?: RunOptions): Promise<StreamedTurn>;
  /** Replaces the history by a shorter one, with the model's help. The result says how it went. */
  compact(options?: CompactOptions): Promise<EngineTurnResult>;
  /**
   * Gives input while a turn runs: it goes with the turn's next request, and causes one where the model had finished.
   * Without a turn it waits for the next one and goes before its input. Gives its id once it is on disk.
   */
  steer(input: Input, options?: SteerOptions): Promise<string>;
  /** What waits, as it is now. */
  readonly queue: readonly QueuedInput[];
  /** Changes what waits. False when it waits no longer. */
  editQueued(id: string, input: Input): Promise<boolean>;
  removeQueued(id: string): Promise<boolean>;
  /**
   * Takes back the last turns in which you said something, so that the next turn goes on from before them. Files and
   * commands stay as they are. Throws `UserError` while a turn runs, and where there are not that many turns since the last compaction.
   */
  rollBack(turns: number): Promise<void>;
  /** Calls the listener with each event from now on. Returns the function that ends this. */
  subscribe(listener: (event: Event) => void): () => void;
  /** Interrupts the turn that runs and ends every process that the thread started. Every other method throws after that. */
  close(): Promise<void>;
}

export interface SteerOptions {
  /** Under which it is edited and removed, instead of one that is made. No other that waits may have it. */
  readonly id?: string;
}

export interface TurnResult extends EngineTurnResult {
  /** What was completed in the turn, in that order. */
  readonly items: readonly ThreadItem[];
}

export interface StreamedTurn {
  readonly events: AsyncGenerator<Event, void, undefined>;
  /** Resolves when the turn has ended. */
  readonly result: Promise<TurnResult>;
}

export interface ThreadWiring {
  readonly cwd: string;
  /** Calls the listener with each event from now on; gives the function that ends this. */
  listen(listener: (event: Event) => void): () => void;
  /** The thread is closed, or failed to close. */
  onClose(): void;
}

/** A thread as programs use it, around the engine's. */
export function wrapThread(engine: EngineThread, { cwd, listen, onClose }: ThreadWiring): Thread {
  const withContent = createWithContent(cwd);

  async function run(input: Input, options: RunOptions = {}): Promise<TurnResult> {
    const items: ThreadItem[] = [];
    const stop = listen((event) => {
      if (event.type === 'item.completed' && event.item.type !== 'user_message') items.push(event.item);
    });
    try {
      const { begun } = await withContent(input, (content) => engine.run(content, options));
      return { ...(await begun), items };
    } finally {
      stop();
    }
  }

  async function runStreamed(input: Input, options: RunOptions = {}): Promise<StreamedTurn> {
    const queue = createEventQueue<Event>();
    const left = new AbortController();
    const stop = listen(queue.push);
    const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal;
    const result = run(input, { ...options, signal }).finally(() => {
      stop();
      queue.end();
    });
    // Whoever only reads the events need not look at the result.
    result.catch(() => {});
    return { events: untilLeft(queue.values(), left, result), result };
  }

  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    closing ??= engine.close().finally(onClose);
    await closing;
  }

  return {
    id: engine.id,
    path: engine.path,
    state: engine.state,
    run,
    runStreamed,
    compact: engine.compact,
    get queue() {
      return [...engine.state.queue];
    },
    ...steeringOf(engine, withContent),
    subscribe: listen,
    close,
  };
}

/** Begins something with the content of an input. What it gives is not waited for. */
type WithContent = <T>(
  input: Input,
  begin: (content: readonly ContentPart[]) => Promise<T>,
) => Promise<{ readonly begun: Promise<T> }>;

/** Reading images takes time: what was asked for first begins first all the same. */
function createWithContent(cwd: string): WithContent {
  const inOrder = createSerialQueue();
  return (input, begin) => inOrder(async () => ({ begun: begin(await inputContent(input, cwd)) }));
}

function steeringOf(
  engine: EngineThread,
  withContent: WithContent,
): Pick<Thread, 'steer' | 'editQueued' | 'removeQueued' | 'rollBack'> {
  return {
    async steer(input, { id } = {}) {
      const { begun } = await withContent(input, (content) => engine.steer(content, id));
      return (await begun).id;
    },
    async editQueued(id, input) {
      return (await withContent(input, (content) => engine.editQueued(id, content))).begun;
    },
    async removeQueued(id) {
      return (await withContent([], () => engine.removeQueued(id))).begun;
    },
    async rollBack(turns) {
      return (await withContent([], () => engine.rollBack(turns))).begun;
    },
  };
}

async function* untilLeft(
  events: AsyncGenerator<Event, void, undefined>,
  left: AbortController,
  result: Promise<TurnResult>,
): AsyncGenerator<Event, void, undefined> {
  try {
    yield* events;
    await result;
  } finally {
    left.abort(new Error('interrupted'));
    await result.catch(() => {});
  }
}
