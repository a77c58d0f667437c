import type { WholeOutput } from '../base/environment.ts';
import { UserError } from '../base/errors.ts';
import type { Answer, ContextUse } from '../base/event.ts';
import type { QueuedInput } from '../base/input.ts';
import type { ContentPart } from '../base/item.ts';
import { type Lazy, lazy } from '../base/lazy.ts';
import type { LogLine, UserCommandLine } from '../base/log.ts';
import type { TurnOverrides } from '../base/turn-overrides.ts';
import { readAnswer } from './calls/read-answer.ts';
import { firstLines } from './first-lines.ts';
import { countTurns } from './state/apply-item.ts';
import { contextOf } from './state/estimate.ts';
import { checkLimits, createLimits, type LimitSettings, withTimeLimit } from './state/limits.ts';
import { message, textPart } from './state/message.ts';
import { openAsks, type ThreadState } from './state/thread-state.ts';
import { createInputQueue, type InputQueue, queueChanged } from './turn/input-queue.ts';
import { answerTurn, compactTurn, type EngineTurnResult, runToEnd, runTurn, type TurnWork } from './turn/turn.ts';
import { createTurn, foldLines, type TurnBase } from './turn-base.ts';
import type { CheckOutput, ThreadSetup, TurnSetup } from './turn-setup.ts';
import {
  createUserCommands,
  lostCommands,
  type UserCommandOptions,
  type UserCommandResult,
  type UserCommands,
} from './user-commands.ts';

/** Settings of one turn. */
export interface TurnSettings extends TurnOverrides {
  /** Interrupts the turn. The result then has the status `aborted`. */
  readonly signal?: AbortSignal;
  /** Limits of this turn. A turn that reaches one fails with the code `limit`. */
  readonly limits?: LimitSettings;
  /** Base instructions from this turn on. */
  readonly baseInstructions?: string;
}

/** Settings of one turn, as the engine takes them. */
export interface EngineRunOptions extends TurnSettings {
  /** JSON schema of the final answer, for the server. */
  readonly outputSchema?: unknown;
  readonly checkOutput?: CheckOutput;
}

/** Options of `compact`. */
export type CompactOptions = TurnOverrides & { readonly signal?: AbortSignal };

/** A thread: turns, one after the other, over one history. */
export interface EngineThread {
  readonly id: string;
  /** Path of its rollout file, or null if the thread is not kept in a file. */
  readonly path: string | null;
  /** State of the thread: the fold over its log. */
  readonly state: Readonly<ThreadState>;
  /** Terminals that calls left running. */
  readonly terminals: Pick<TurnBase['terminals'], 'list' | 'output' | 'stop'>;
  /** Returns the output of a command that runs, or is kept. */
  commandOutput(itemId: string): WholeOutput | undefined;
  /** Returns the part of the model's window that is in use. */
  context(): ContextUse;
  /** Runs one turn. Never throws for failures of models, servers or tools: the result reports them. */
  run(input: readonly ContentPart[], options?: EngineRunOptions): Promise<EngineTurnResult>;
  /**
   * Answers a suspended question and goes on with its turn. Throws `UserError` if there is no such question, or the
   * answer does not fit it.
   */
  answer(askId: string, answer: Answer, options?: EngineRunOptions): Promise<EngineTurnResult>;
  /**
   * Replaces the history by a shorter one, which the model helps to write. The result reports failures. Throws
   * `UserError` while questions are open.
   */
  compact(options?: CompactOptions): Promise<EngineTurnResult>;
  /**
   * Queues input. The running turn adds it to its next request, but never to its first. If no turn runs, it goes before
   * the input of the next turn. The id is the caller's or a new one. Throws `UserError` if input with that id is
   * queued.
   */
  steer(input: readonly ContentPart[], id?: string): Promise<QueuedInput>;
  /** Changes queued input. Returns false if the input is no longer queued. */
  editQueued(id: string, input: readonly ContentPart[]): Promise<boolean>;
  /** Removes queued input. Returns false if the input is no longer queued. */
  removeQueued(id: string): Promise<boolean>;
  /**
   * Runs a command of the user, next to a turn or without one. The model gets it before its next request. Throws
   * `UserError` if the script is empty.
   */
  runCommand(script: string, options?: UserCommandOptions): Promise<UserCommandResult>;
  /** Records a line about a command of the user again, once, and runs nothing. For replays. */
  repeatCommand(line: UserCommandLine): Promise<void>;
  /**
   * Removes the last turns with input of the user from the history. Files and commands stay as they are. Throws
   * `UserError` while a turn runs, and if there are fewer turns since the last compaction.
   */
  rollBack(turns: number): Promise<void>;
  /**
   * Adds a text to the history that is not the user's, so that the model learns of a change outside turns. Throws
   * `UserError` while a turn runs or a question is open.
   */
  tell(text: string): Promise<void>;
  /**
   * Interrupts the running turn and ends every process that the thread started. The thread cannot be used afterwards.
   */
  close(): Promise<void>;
}

/** Opens a thread over a log. `lines` are the lines already in the log; a new thread has none. */
export async function openThread(
  thread: ThreadSetup,
  lines: AsyncIterable<LogLine> | Iterable<LogLine> = [],
): Promise<EngineThread> {
  const folded = await foldLines(thread, lines, () => open.running?.id ?? null);
  const { state, terminals } = folded;
  const mention = (line: LogLine) => {
    if (open.isLogClosed) return;
    // Written together with the turn's next line: a write of its own would only cost time.
    if (open.running) folded.hold(line);
    else void folded.mention(line).then(() => open.running ?? thread.log.rest());
  };
  const base = { ...folded, mention };
  // Commands must not keep running here after another owner has taken the thread.
  thread.log.lost.addEventListener('abort', () => void thread.environment.close().catch(() => {}), { once: true });
  const open: OpenThread = {
    base,
    plainSetup: lazy(() => thread.turn({})),
    announced: false,
    closed: false,
    isLogClosed: false,
    begun: false,
    running: null,
    lastSetup: undefined,
    queueChanges: new Set(),
    lostCommands: new Set(state.commands.keys()),
  };
  const queue = queueOf(open);
  const commands = createUserCommands({
    thread,
    terminals,
    turn: () => open.running,
    record: (make) => recordOutside(open, make),
  });
  return {
    id: thread.id,
    path: thread.log.path,
    state,
    terminals,
    commandOutput: (itemId) => thread.outputs?.read(itemId) ?? terminals.soFar(itemId),
    context: () => contextOf(open.base, open.lastSetup),
    run: (input, options = {}) =>
      runAlone(open, { needsQueue: input.length === 0, run: (turn) => runTurn(turn, input) }, options),
    answer: (askId, answer, options = {}) => answerAsk(open, askId, answer, options),
    compact: (options = {}) => compactAlone(open, options),
    steer: queue.add,
    editQueued: queue.edit,
    removeQueued: queue.remove,
    async runCommand(script, options = {}) {
      announce(open);
      return commands.run(script, options);
    },
    repeatCommand: commands.repeat,
    rollBack: (turns) => rollBack(open, turns),
    tell: (text) => tell(open, text),
    close: () => closeThread(open, commands),
  };
}

async function closeThread(open: OpenThread, commands: UserCommands): Promise<void> {
  const { thread, decide } = open.base;
  open.closed = true;
  open.running?.interrupt();
  await open.running?.ended;
  await commands.close();
  // Waits for the lines that are being written.
  await decide(() => []).catch(() => {});
  await thread.environment.close();
  thread.outputs?.close();
  open.isLogClosed = true;
  await thread.log.close();
}

interface OpenThread {
  readonly base: TurnBase;
  /** Setup of a turn without overrides, for the first line of a thread that begins with queued input. */
  readonly plainSetup: Lazy<TurnSetup>;
  /** Whether `thread.started` was emitted. */
  announced: boolean;
  closed: boolean;
  /** Whether the log accepts no more lines. Processes may still end afterwards. */
  isLogClosed: boolean;
  /** Whether a turn has begun in this process. */
  begun: boolean;
  running: RunningTurn | null;
  /** Setup of the last turn in this process. */
  lastSetup: TurnSetup | undefined;
  /** Changes of the queue that are being recorded. A turn begins after the ones that came before it. */
  readonly queueChanges: Set<Promise<unknown>>;
  /** Commands of the user that an earlier process left without an end, if their ends are not on record yet. */
  readonly lostCommands: ReadonlySet<string>;
}

interface RunningTurn {
  readonly id: string;
  /** Options of the turn. */
  readonly overrides: TurnOverrides;
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal;
  interrupt(): void;
  /** Resolves when the first lines of the turn are on record, or the turn has ended without any. */
  readonly begun: Promise<void>;
  readonly ended: Promise<void>;
}

/** Throws `UserError` if the thread is closed, or a turn runs. */
function assertUsable({ closed, running }: OpenThread): void {
  if (closed) throw closedError();
  if (running) throw new UserError('in_use', 'A turn of this thread is still running; wait for it to end.');
}

function announce(open: OpenThread): void {
  const { thread, state } = open.base;
  if (open.closed) throw closedError();
  if (open.announced) return;
  open.announced = true;
  thread.emit({ type: 'thread.started' }, null);
  if (state.queue.length > 0) thread.emit(queueChanged(state), null);
  if (state.history.length > 0) thread.emit({ type: 'context', ...contextOf(open.base, open.lastSetup) }, null);
}

function queueOf(open: OpenThread): InputQueue {
  const { thread, state } = open.base;
  return createInputQueue({
    state,
    world: thread.world,
    emit: (event) => thread.emit(event, open.running?.id ?? null),
    async decide(make) {
      announce(open);
      return recordOutside(open, make);
    },
  });
}

/** Records lines that no turn writes, between two lines of a turn or without one. */
function recordOutside(open: OpenThread, make: () => readonly LogLine[]): Promise<readonly LogLine[]> {
  const change = record(open.running);
  open.queueChanges.add(change);
  return change.finally(() => open.queueChanges.delete(change));

  async function record(running: RunningTurn | null): Promise<readonly LogLine[]> {
    const { thread, state, decide } = open.base;
    const setup = state.meta ? undefined : await open.plainSetup();
    // A turn that begins takes over only the inputs that were queued before its first line.
    await running?.begun;
    const lines = await decide(() => {
      const made = make();
      return made.length === 0 || !setup ? made : [...firstLines(open.base, setup), ...made];
    });
    if (!open.running) thread.log.rest();
    return lines;
  }
}

async function rollBack(open: OpenThread, turns: number): Promise<void> {
  const { thread, state, decide } = open.base;
  assertUsable(open);
  const known = countTurns(state);
  if (!Number.isInteger(turns) || turns < 1 || turns > known) {
    throw new UserError(
      'invalid_input',
      `${turns} turns cannot be taken back: there are ${known} since the last compaction.`,
    );
  }
  announce(open);
  await decide(() => [{ type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: turns } }]);
  thread.log.rest();
  thread.emit({ type: 'thread.rolled_back', turns }, null);
  thread.emit({ type: 'context', ...contextOf(open.base, open.lastSetup) }, null);
}

async function tell(open: OpenThread, text: string): Promise<void> {
  const { thread, state, decide } = open.base;
  assertUsable(open);
  const [ask] = openAsks(state);
  // The message would end the call of the question.
  if (ask) throw new UserError('in_use', `A question waits for its answer, so the model cannot be told: ${ask.shown}`);
  announce(open);
  await decide(() => [{ type: 'response_item', payload: message(thread.world, 'user', [textPart(text)]) }]);
  thread.log.rest();
}

async function compactAlone(open: OpenThread, options: CompactOptions): Promise<EngineTurnResult> {
  const [ask] = openAsks(open.base.state);
  if (ask) throw new UserError('in_use', `A question waits for its answer, so the history stays: ${ask.shown}`);
  return runAlone(open, { needsQueue: false, run: compactTurn }, options);
}

async function answerAsk(
  open: OpenThread,
  askId: string,
  answer: Answer,
  options: EngineRunOptions,
): Promise<EngineTurnResult> {
  assertUsable(open);
  const { openCalls, closedAsks } = open.base.state;
  const call = [...openCalls.values()].find(({ suspended }) => suspended?.ask.id === askId);
  if (!call?.suspended) {
    if (closedAsks.has(askId)) throw new UserError('nothing_to_do', `The question ${askId} is no longer open.`);
    throw new UserError('not_found', `This thread has no question with the id ${JSON.stringify(askId)}.`);
  }
  const reply = readAnswer(answer, call.suspended.ask);
  if (reply.type === 'suspend')
    throw new UserError('invalid_input', 'The question is suspended already. Answer it, or leave it open.');
  const answered = { ...call.suspended, reply };
  const run: TurnWork = (turn) => answerTurn(turn, call, answered);
  return runAlone(open, { needsQueue: false, run, answers: askId }, options);
}

interface Work {
  /** Whether the turn has no input besides the queued input. */
  readonly needsQueue: boolean;
  readonly run: TurnWork;
  /** Id of the suspended question that the turn answers. */
  readonly answers?: string;
}

/** Runs a turn, as the only one. Throws if the thread is closed, another turn runs, or there is no input. */
async function runAlone(open: OpenThread, work: Work, options: EngineRunOptions): Promise<EngineTurnResult> {
  const { thread, state, decide } = open.base;
  // A program need not wait for the end of a turn that it has interrupted.
  while (open.running?.signal.aborted) await open.running.ended;
  assertUsable(open);
  checkLimits(options.limits ?? {});
  const time = withTimeLimit([...(options.signal ? [options.signal] : []), thread.log.lost], options.limits?.timeoutMs);
  const id = thread.world.uuid();
  let setup: TurnSetup | undefined;
  const begun = gate();
  const ended = gate();
  const earlier = [...open.queueChanges];
  open.running = {
    id,
    overrides: options,
    signal: time.signal,
    interrupt: time.abort,
    begun: begun.passed,
    ended: ended.passed,
  };
  try {
    const made = await thread.turn(options, time.signal);
    setup = made;
    open.lastSetup = made;
    await Promise.allSettled(earlier);
    const limits = createLimits(options.limits ?? {}, made.price, made.request.model);
    announce(open);
    let leftOver: ReadonlySet<string> = new Set();
    const lost = lostCommands(state, open.lostCommands);
    await decide(() => {
      leftOver = new Set(state.queue.map((input) => input.id));
      if (work.needsQueue && leftOver.size === 0) throw new UserError('nothing_to_do', NOTHING_TO_RUN);
      return [...firstLines(open.base, made), ...lost.map((payload): LogLine => ({ type: 'oxbow', payload }))];
    });
    for (const { item, turn_id } of lost) thread.emit({ type: 'item.completed', item }, turn_id);
    const isFirstHere = !open.begun;
    const { answers = null } = work;
    open.begun = true;
    const turn = createTurn(open.base, { id, time, limits, leftOver, options, setup: made, isFirstHere, answers });
    return await runToEnd(turn, work.run, begun.open);
  } finally {
    time.done();
    await open.base.release();
    open.running = null;
    thread.log.rest();
    thread.environment.rest();
    setup?.model.rest?.();
    begun.open();
    ended.open();
  }
}

function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

function closedError(): UserError {
  return new UserError('closed', 'This thread is closed. Resume it by its id to go on.');
}

const NOTHING_TO_RUN = 'There is nothing to run: the input is empty, and nothing is queued.';
