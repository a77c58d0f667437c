import type { Event, ThreadItem } from '../base/event.ts';
import type { Input, QueuedInput } from '../base/input.ts';
import type { TurnResult as EngineResult, EngineThread, RunOptions } from '../engine/thread.ts';
import type { ThreadState } from '../engine/thread-state.ts';
import { inputContent } from '../prompt/input-content.ts';
import { createEventQueue } from './event-queue.ts';

export type { RunOptions } from '../engine/thread.ts';

/** A thread: turns, one after the other, over one history. */
export interface Thread {
  readonly id: string;
  /** Where its log lies; null when it is kept nowhere. */
  readonly path: string | null;
  /** What the thread knows: the fold over its log. */
  readonly state: Readonly<ThreadState>;
  /**
   * Runs one turn to its end. Does not throw for what models, servers and tools do: the result says how it went. Throws
   * `UserError` for input that cannot be sent, such as a file that is no image.
   */
  run(input: Input, options?: RunOptions): Promise<TurnResult>;
  /** Runs one turn and gives its events as they happen. Leaving the loop over them interrupts the turn. */
  runStreamed(input: Input, options?: RunOptions): Promise<StreamedTurn>;
  /** Replaces the history by a shorter one, with the model's help. The result says how it went. */
  compact(options?: Pick<RunOptions, 'signal'>): Promise<EngineResult>;
  /** Gives input that goes with the next request: of the turn that runs, or of the next one. Gives its id. */
  steer(input: Input): Promise<string>;
  /** What waits for the next request. */
  readonly queue: readonly QueuedInput[];
  /** Changes what waits. False when it waits no longer. */
  editQueued(id: string, input: Input): Promise<boolean>;
  removeQueued(id: string): Promise<boolean>;
  /** Ends every process that the thread started. */
  close(): Promise<void>;
}

export interface TurnResult extends EngineResult {
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
  readonly onClose: (() => void) | undefined;
}

/** A thread as programs use it, around the engine's. */
export function wrapThread(engine: EngineThread, { cwd, listen, onClose }: ThreadWiring): Thread {
  async function run(input: Input, options: RunOptions = {}): Promise<TurnResult> {
    const content = await inputContent(input, cwd);
    const items: ThreadItem[] = [];
    const stop = listen((event) => {
      if (event.type === 'item.completed') items.push(event.item);
    });
    try {
      return { ...(await engine.run(content, options)), items };
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

  async function close(): Promise<void> {
    await engine.close();
    onClose?.();
  }

  return {
    id: engine.id,
    path: engine.path,
    state: engine.state,
    run,
    runStreamed,
    compact: engine.compact,
    steer: async (input) => (await engine.steer(await inputContent(input, cwd))).id,
    get queue() {
      return engine.state.queue;
    },
    editQueued: async (id, input) => engine.editQueued(id, await inputContent(input, cwd)),
    removeQueued: engine.removeQueued,
    close,
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
