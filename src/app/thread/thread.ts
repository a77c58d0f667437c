import type { WholeOutput } from '../../base/environment.ts';
import type { Answer, Ask, Event, ThreadItem } from '../../base/event.ts';
import type { Input, QueuedInput } from '../../base/input.ts';
import type { ContentPart } from '../../base/item.ts';
import { checkOptions, type OptionNames } from '../../config/check-options.ts';
import { createSerialQueue } from '../../engine/state/serial-queue.ts';
import { openAsks, type ThreadState } from '../../engine/state/thread-state.ts';
import type { CompactOptions, EngineThread, TurnSettings } from '../../engine/thread.ts';
import type { EngineTurnResult } from '../../engine/turn/turn.ts';
import { inputContent } from '../../prompt/input-content.ts';
import { type InteractiveThread, interactiveOf } from './interactive-thread.ts';
import type { AnswerSchema, OutputCheck, OutputOf } from './output-check.ts';
import { createRunningTurns, type RunningTurns } from './running-turns.ts';
import { streamTurn } from './stream-turn.ts';
import { type PastReaders, pastOf, type ThreadPast } from './thread-past.ts';

export type { CompactOptions } from '../../engine/thread.ts';
export type { ItemsOptions, ThreadPast } from './thread-past.ts';

/** Settings of one turn. */
export interface RunOptions<S = AnswerSchema | undefined> extends TurnSettings {
  /**
   * Schema of the final answer, which becomes `output` of the result. The server gets it as a JSON schema. An answer
   * that does not fit is asked for again, at most twice. After that the turn fails with the code `output_invalid`.
   */
  readonly outputSchema?: S;
  /** JSON schema of the final answer that is only sent to the server. The answer is not checked. */
  readonly uncheckedSchema?: unknown;
}

/** A thread runs turns, one after the other, over one history. */
export interface Thread extends ThreadPast, InteractiveThread {
  /** Id of the thread, for `resumeThread`. */
  readonly id: string;
  /** Path of the rollout file. Null when the thread is not kept in a file. */
  readonly path: string | null;
  /** State of the thread: the fold over its log. */
  readonly state: Readonly<ThreadState>;
  /**
   * Runs one turn to its end. Failures of models, servers and tools do not throw: they are in the result. Throws
   * `UserError` for input that cannot be sent, such as a file that is not an image. An empty list adds no input: the
   * turn runs on the queued input, and `UserError` is thrown when the queue is empty. Waits for the end of a turn that
   * was interrupted, and throws `UserError` while any other turn runs. The options may override settings
   * for this turn, such as the model or the sandbox. Running terminals keep their settings.
   *
   * @example
   * const { status, finalResponse, error } = await thread.run('Repair it.', { limits: { maxCost: 0.5 } });
   * if (status === 'failed') console.error(error?.message);
   */
  run<const S extends AnswerSchema | undefined = undefined>(
    input: Input,
    options?: RunOptions<S>,
  ): Promise<TurnResult<OutputOf<S>>>;
  /**
   * Runs one turn and yields its events as they happen. Leaving the loop over the events interrupts the turn.
   *
   * @example
   * const { events, result } = await thread.runStreamed('Repair it.');
   * for await (const event of events) if (event.type === 'text.delta') process.stdout.write(event.delta);
   * const { ledger } = await result;
   */
  runStreamed<const S extends AnswerSchema | undefined = undefined>(
    input: Input,
    options?: RunOptions<S>,
  ): Promise<StreamedTurn<OutputOf<S>>>;
  /** Suspended questions that are still open, in the order of their calls. */
  readonly asks: readonly Ask[];
  /**
   * Answers a suspended question. Its call is planned and judged again, then it runs or the model reads why not. An
   * approval counts only if the question is still the same; otherwise the user is asked again. While other questions are
   * open, the result is `suspended` again. With the last answer the model goes on. Throws `UserError` if the question
   * does not exist or is no longer open, and if the answer does not fit it.
   *
   * @example
   * const [ask] = thread.asks;
   * if (ask) await thread.answer(ask.id, { type: 'approve' });
   */
  answer<const S extends AnswerSchema | undefined = undefined>(
    askId: string,
    answer: LaterAnswer,
    options?: RunOptions<S>,
  ): Promise<TurnResult<OutputOf<S>>>;
  /**
   * Replaces the history by a shorter one that the model writes. The result says how it went. Throws `UserError` while
   * questions are open.
   */
  compact(options?: CompactOptions): Promise<EngineTurnResult>;
  /**
   * Queues input. A running turn sends it with its next request, or makes one more request for it. Without a running
   * turn, the input goes before the input of the next turn. Returns the id of the input once it is on disk.
   */
  steer(input: Input, options?: SteerOptions): Promise<string>;
  /** Queued input at this moment. */
  readonly queue: readonly QueuedInput[];
  /** Replaces queued input. Returns false when it is no longer queued. */
  editQueued(id: string, input: Input): Promise<boolean>;
  /** Removes queued input. Returns false when it is no longer queued. */
  removeQueued(id: string): Promise<boolean>;
  /**
   * Removes the last turns with input of the user from the history, so that the next turn continues from before them.
   * Files and commands stay as they are. Open questions are removed with their turn. Throws `UserError` while a turn
   * runs, and when there are fewer turns since the last compaction.
   */
  rollBack(turns: number): Promise<void>;
  /** Whether a turn runs at this moment. */
  readonly running: boolean;
  /** Interrupts the running turn, if there is one. Its result has the reason. Resolves when the turn has ended. */
  abort(reason?: unknown): Promise<void>;
  /** Calls the listener with each event from now on. Returns the function that stops it. */
  subscribe(listener: (event: Event) => void): () => void;
  /** Interrupts the running turn and ends every process that the thread started. All other methods throw after that. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of `steer`. */
export interface SteerOptions {
  /** Id for editing and removing the input. It must be unique in the queue. The default is a new id. */
  readonly id?: string;
}

/** The result of a turn. `output` is known once `status` is `completed`. */
export type TurnResult<T = unknown> = CompletedTurn<T> | UnfinishedTurn | SuspendedTurn;

/** An answer to a suspended question. */
export type LaterAnswer = Exclude<Answer, { readonly type: 'suspend' }>;

/** The end of a turn that completed. */
export interface CompletedTurn<T = unknown> extends ShownTurn {
  readonly status: 'completed';
  /** The final answer as the `outputSchema` of the turn reads it. Undefined without a schema. */
  readonly output: T;
}

/** The end of a turn that failed or was interrupted. */
export interface UnfinishedTurn extends ShownTurn {
  readonly status: 'failed' | 'aborted';
  readonly output?: undefined;
}

/** The end of a turn that waits for answers. */
export interface SuspendedTurn extends ShownTurn {
  readonly status: 'suspended';
  readonly output?: undefined;
  /** The open questions, for `thread.answer`. */
  readonly asks: readonly Ask[];
}

/** The end of a turn, and its items. */
export interface ShownTurn extends EngineTurnResult {
  /** Items completed in the turn, in order. */
  readonly items: readonly ThreadItem[];
}

/** A turn that runs. */
export interface StreamedTurn<T = unknown> {
  /** Events as they happen. */
  readonly events: AsyncGenerator<Event, void, undefined>;
  /** Resolves when the turn has ended. */
  readonly result: Promise<TurnResult<T>>;
}

export interface ThreadWiring extends PastReaders {
  readonly cwd: string;
  /** Calls the listener with each event from now on. Returns the function that stops it. */
  listen(listener: (event: Event) => void): () => void;
  /** Called when the thread is closed or failed to close. */
  onClose(): void;
  /** Reads the output of a command from the log. Returns undefined if the log does not have it. */
  readOutput(itemId: string): Promise<WholeOutput | undefined>;
  /** Called with each warning about an input. */
  onWarning(message: string): void;
}

/** Returns the thread that programs use, as a wrapper of the engine's thread. */
export function wrapThread(engine: EngineThread, wiring: ThreadWiring): Thread {
  const { cwd, listen, onClose, onWarning } = wiring;
  const withContent = createWithContent(cwd, onWarning);
  const turns = createRunningTurns();

  async function run(input: Input, options: RunOptions = {}, begin: BeginTurn = engine.run): Promise<TurnResult> {
    checkOptions('run', options, RUN_OPTIONS);
    return turns.run(options.signal, (signal) =>
      withItems(listen, () => runChecked(begin, withContent, input, { ...options, signal })),
    );
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
    run: ((input, options) => run(input, options)) as Thread['run'],
    runStreamed: ((input, options: RunOptions = {}) =>
      streamTurn((signal) => run(input, { ...options, signal }), options.signal, listen)) as Thread['runStreamed'],
    get asks() {
      return openAsks(engine.state);
    },
    answer: ((askId, answer, options?: RunOptions) =>
      run([], options, (_, settings) => engine.answer(askId, answer, settings))) as Thread['answer'],
    compact: (options = {}) => compactIn(turns, engine, options),
    get queue() {
      return [...engine.state.queue];
    },
    ...steeringOf(engine, withContent),
    ...interactiveOf(engine, wiring.readOutput),
    get context() {
      return engine.context();
    },
    get terminals() {
      return engine.terminals.list();
    },
    ...pastOf(engine, wiring, (work) => withContent([], async () => {}, work), {
      closed: () => closing !== undefined,
      running: () => turns.running > 0,
    }),
    get running() {
      return turns.running > 0;
    },
    abort: turns.abort,
    subscribe: listen,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function compactIn(
  turns: RunningTurns,
  engine: EngineThread,
  options: CompactOptions,
): Promise<EngineTurnResult> {
  checkOptions('compact', options, COMPACT_OPTIONS);
  return turns.run(options.signal, (signal) => engine.compact({ ...options, signal }));
}

const COMPACT_OPTIONS: OptionNames<CompactOptions> = {
  model: true,
  provider: true,
  effort: true,
  summary: true,
  verbosity: true,
  approvalPolicy: true,
  sandboxMode: true,
  networkAccess: true,
  writableRoots: true,
  signal: true,
};

const RUN_OPTIONS: OptionNames<RunOptions> = {
  ...COMPACT_OPTIONS,
  limits: true,
  outputSchema: true,
  uncheckedSchema: true,
  baseInstructions: true,
};

/** Begins work with the content of an input, after a preparation. Does not wait for the end of the work. */
type WithContent = <T>(
  input: Input,
  begin: (content: readonly ContentPart[]) => Promise<T>,
  prepare?: () => Promise<void>,
) => Promise<{ readonly begun: Promise<T> }>;

/**
 * Returns a function that reads images in order: an input that came first begins first, even if its images take longer.
 */
function createWithContent(cwd: string, onWarning: (message: string) => void): WithContent {
  const inOrder = createSerialQueue();
  return (input, begin, prepare) =>
    inOrder(async () => {
      const content = await inputContent(input, cwd, onWarning);
      await prepare?.();
      return { begun: begin(content) };
    });
}

/** Runs a turn and adds the items that were completed in it to the result. */
async function withItems(listen: ThreadWiring['listen'], work: () => Promise<EngineTurnResult>): Promise<TurnResult> {
  const items: ThreadItem[] = [];
  const stop = listen((event) => {
    if (event.type === 'item.completed' && event.item.type !== 'user_message') items.push(event.item);
  });
  try {
    return { ...(await work()), items } as TurnResult;
  } finally {
    stop();
  }
}

type BeginTurn = EngineThread['run'];

/** Runs a turn and checks its final answer, if there is a schema for it. */
async function runChecked(
  begin: BeginTurn,
  withContent: WithContent,
  input: Input,
  { outputSchema, uncheckedSchema, ...options }: RunOptions,
): Promise<EngineTurnResult & { readonly output: unknown }> {
  let check: OutputCheck | undefined;
  const { begun } = await withContent(
    input,
    (content) => begin(content, { ...options, outputSchema: uncheckedSchema, ...check?.options }),
    async () => {
      if (outputSchema !== undefined) check = (await import('./output-check.ts')).createOutputCheck(outputSchema);
    },
  );
  const result = await begun;
  return { ...result, output: result.status === 'completed' ? check?.output() : undefined };
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
