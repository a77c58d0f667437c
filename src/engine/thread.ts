import { LostThread, ModelError, messageOf, UserError } from '../base/errors.ts';
import type { EventBody, TurnError } from '../base/event.ts';
import type { QueuedInput } from '../base/input.ts';
import type { ContentPart } from '../base/item.ts';
import { type Lazy, lazy } from '../base/lazy.ts';
import type { Ledger } from '../base/ledger.ts';
import { type LogLine, type OxbowLine, ROLLOUT_FORMAT } from '../base/log.ts';
import type { TurnOverrides } from '../base/turn-overrides.ts';
import type { Usage } from '../base/usage.ts';
import { createTurnDiff } from './calls/turn-diff.ts';
import { countTurns } from './state/apply-item.ts';
import { applyLine } from './state/apply-line.ts';
import { createLimits, LimitReached, type LimitSettings, withTimeLimit } from './state/limits.ts';
import { message, textPart } from './state/message.ts';
import { createRecorder } from './state/recorder.ts';
import { emptyState, lastProvider, type ThreadState } from './state/thread-state.ts';
import { beginTurn } from './turn/begin-turn.ts';
import { compact } from './turn/compaction.ts';
import { completeTurn, createInputQueue, type InputQueue, queueChanged } from './turn/input-queue.ts';
import { runTurn } from './turn/turn.ts';
import { createTurnLedger } from './turn/turn-ledger.ts';
import type { Recorder, ThreadSetup, Turn, TurnSetup } from './turn-setup.ts';

export interface RunOptions extends TurnOverrides {
  readonly signal?: AbortSignal;
  readonly limits?: LimitSettings;
  /** A JSON schema that the final answer must fit; the server sees to it. */
  readonly outputSchema?: unknown;
  /** Base instructions from this turn on. */
  readonly baseInstructions?: string;
}

export type CompactOptions = TurnOverrides & Pick<RunOptions, 'signal'>;

export interface EngineTurnResult {
  readonly status: 'completed' | 'failed' | 'aborted';
  readonly finalResponse: string;
  /** The thread's tokens so far. */
  readonly usage: Usage;
  /** What this turn took. */
  readonly ledger: Ledger;
  readonly error: TurnError | null;
}

/** A thread: turns, one after the other, over one history. */
export interface EngineThread {
  readonly id: string;
  /** The path of its rollout file; null where it is not kept in one. */
  readonly path: string | null;
  /** What the thread knows: the fold over its log. */
  readonly state: Readonly<ThreadState>;
  /** Runs one turn. Never throws for what models, servers or tools do: the result says how it went. */
  run(input: readonly ContentPart[], options?: RunOptions): Promise<EngineTurnResult>;
  /** Replaces the history by a shorter one, with the model's help. The result says how it went. */
  compact(options?: CompactOptions): Promise<EngineTurnResult>;
  /**
   * Gives input that goes with the next request but the first of a turn: of the turn that runs, or before the input of the
   * next one. With an id of the caller's or one of our own. Throws `UserError` when that id waits already.
   */
  steer(input: readonly ContentPart[], id?: string): Promise<QueuedInput>;
  /** Changes what waits. False when it waits no longer. */
  editQueued(id: string, input: readonly ContentPart[]): Promise<boolean>;
  removeQueued(id: string): Promise<boolean>;
  /**
   * Takes back the last turns in which the user said something. Files and commands stay as they are. Throws `UserError`
   * while a turn runs, and where there are not that many turns since the last compaction.
   */
  rollBack(turns: number): Promise<void>;
  /** Ends every process that the thread started; interrupts the turn that runs. Nothing can be done with it after that. */
  close(): Promise<void>;
}

/** Opens a thread over a log. `lines` are those that the log has; a new thread has none. */
export async function openThread(
  thread: ThreadSetup,
  lines: AsyncIterable<LogLine> | Iterable<LogLine> = [],
): Promise<EngineThread> {
  const state = emptyState();
  for await (const line of lines) applyLine(state, line);
  const recorder = createRecorder(thread.log, state);
  const mention = (line: LogLine) => {
    if (open.isLogClosed) return;
    // The next line of the turn takes this one along. A write of its own would only cost time.
    if (open.running) recorder.hold(line);
    else void recorder.mention(line).then(() => open.running ?? thread.log.rest());
  };
  const recording = { thread, state, ...recorder, mention };
  // Commands of a thread that another owner has taken must not go on here.
  thread.log.lost.addEventListener('abort', () => void thread.environment.close().catch(() => {}), { once: true });
  const usual = lazy(() => thread.turn({}));
  const open: Open = {
    recording,
    usual,
    announced: false,
    closed: false,
    isLogClosed: false,
    begun: false,
    running: null,
  };
  const queue = queueOf(open);
  return {
    id: thread.id,
    path: thread.log.path,
    state,
    run: (input, options = {}) =>
      runAlone(open, { needsQueue: input.length === 0, do: (turn) => runTurn(turn, input) }, options),
    compact: (options = {}) => runAlone(open, { needsQueue: false, do: compactAlone }, options),
    steer: queue.add,
    editQueued: queue.edit,
    removeQueued: queue.remove,
    rollBack: (turns) => rollBack(open, turns),
    async close() {
      open.closed = true;
      open.running?.interrupt();
      await open.running?.ended;
      // Lines that are under way are kept first.
      await recording.decide(() => []).catch(() => {});
      await thread.environment.close();
      open.isLogClosed = true;
      await thread.log.close();
    },
  };
}

/** A thread that is open. */
interface Open {
  readonly recording: Recording;
  /** The parts of a turn without overrides, for the first line of a thread that begins with queued input. */
  readonly usual: Lazy<TurnSetup>;
  announced: boolean;
  closed: boolean;
  /** Whether nothing more is written, however late a process ends. */
  isLogClosed: boolean;
  /** Whether a turn has begun in this process. */
  begun: boolean;
  /** The turn that runs. */
  running: RunningTurn | null;
}

interface RunningTurn {
  readonly id: string;
  interrupt(): void;
  /** Resolves when its first lines are on record, or it has ended without any. */
  readonly begun: Promise<void>;
  readonly ended: Promise<void>;
}

type Recording = Pick<Turn, 'thread' | 'state' | 'mention' | keyof Recorder>;

function announce(open: Open): void {
  const { thread, state } = open.recording;
  if (open.closed) throw new Error(CLOSED);
  if (open.announced) return;
  open.announced = true;
  thread.emit({ type: 'thread.started' }, null);
  if (state.queue.length > 0) thread.emit(queueChanged(state), null);
}

/** Returns the line that every log begins with, if it is not there yet. */
function firstLine({ thread, state }: Recording, setup: TurnSetup): readonly LogLine[] {
  return state.meta ? [] : [sessionMeta(thread, setup)];
}

function queueOf(open: Open): InputQueue {
  const { thread, state, decide } = open.recording;
  return createInputQueue({
    state,
    world: thread.world,
    emit: (event) => thread.emit(event, open.running?.id ?? null),
    async decide(make) {
      announce(open);
      const setup = state.meta ? undefined : await open.usual();
      // A turn takes over the inputs that were queued before its first line, and no others.
      await open.running?.begun;
      const lines = await decide(() => {
        const made = make();
        return made.length === 0 || !setup ? made : [...firstLine(open.recording, setup), ...made];
      });
      if (!open.running) thread.log.rest();
      return lines;
    },
  });
}

async function rollBack(open: Open, turns: number): Promise<void> {
  const { thread, state, decide } = open.recording;
  if (open.closed) throw new Error(CLOSED);
  if (open.running) throw new UserError('in_use', 'A turn of this thread is still running; wait for it to end.');
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
}

async function runAlone(open: Open, work: Work, options: RunOptions): Promise<EngineTurnResult> {
  const { thread, state, decide } = open.recording;
  if (open.closed) throw new Error(CLOSED);
  if (open.running) throw new Error('A turn of this thread is still running; wait for it to end.');
  const time = withTimeLimit([...(options.signal ? [options.signal] : []), thread.log.lost], options.limits?.timeoutMs);
  const id = thread.world.uuid();
  let setup: TurnSetup | undefined;
  const begun = gate();
  const ended = gate();
  open.running = { id, interrupt: time.abort, begun: begun.passed, ended: ended.passed };
  try {
    const made = await thread.turn(options);
    setup = made;
    const limits = createLimits(options.limits ?? {}, made.price, made.request.model);
    announce(open);
    let leftOver: ReadonlySet<string> = new Set();
    await decide(() => {
      leftOver = new Set(state.queue.map((input) => input.id));
      if (work.needsQueue && leftOver.size === 0) throw new UserError('nothing_to_do', NOTHING_TO_SAY);
      return firstLine(open.recording, made);
    });
    const isFirstHere = !open.begun;
    open.begun = true;
    const start = { id, time, limits, leftOver, work, options, setup: made, isFirstHere, onBegun: begun.open };
    return await runOneTurn(open.recording, start);
  } finally {
    time.done();
    await open.recording.release();
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

const CLOSED = 'This thread is closed. Resume it by its id to go on.';
const NOTHING_TO_SAY = 'There is nothing to run: the input is empty, and nothing is queued.';

/** The work of a turn, which returns its final answer when that is on record. */
interface Work {
  /** Whether it has nothing to say but what is queued. */
  readonly needsQueue: boolean;
  do(turn: Turn): Promise<string>;
}

async function compactAlone(turn: Turn): Promise<string> {
  await compact(turn, 'asked');
  return completeTurn(turn, '');
}

interface TurnStart extends Pick<Turn, 'id' | 'leftOver' | 'limits' | 'setup' | 'isFirstHere'> {
  readonly time: ReturnType<typeof withTimeLimit>;
  readonly work: Work;
  readonly options: RunOptions;
  /** Called when the first lines are on record. */
  onBegun(): void;
}

async function runOneTurn(recording: Recording, start: TurnStart): Promise<EngineTurnResult> {
  const { id, leftOver, limits, time, work, options, setup, isFirstHere } = start;
  const { thread, state } = recording;
  const emit = (event: EventBody) => thread.emit(event, id);
  const turn: Turn = {
    ...recording,
    id,
    setup,
    isFirstHere,
    tools: setup.tools(),
    leftOver,
    emit,
    signal: time.signal,
    interrupt: time.abort,
    limits,
    outputSchema: options.outputSchema,
    baseInstructions: options.baseInstructions,
    previousModel: state.lastTurn?.model ?? null,
    previousProvider: lastProvider(state),
    plan: null,
    diff: createTurnDiff(thread.gitDiff, thread.showPath),
    ledger: createTurnLedger(),
    workspaceSnapshot: null,
  };
  emit({ type: 'turn.started' });
  try {
    await beginTurn(turn);
    start.onBegun();
    const finalResponse = await work.do(turn);
    completePlan(turn);
    const ledger = closeLedger(turn);
    emit({ type: 'turn.completed', usage: state.usage, finalResponse });
    return { status: 'completed', finalResponse, usage: state.usage, ledger, error: null };
  } catch (error) {
    completePlan(turn);
    return await endBadly(turn, error).catch((failure: unknown) => endLost(turn, failure));
  }
}

function closeLedger({ ledger, emit }: Turn): Ledger {
  const total = ledger.total();
  emit({ type: 'turn.ledger', ledger: total });
  return total;
}

async function endBadly(turn: Turn, error: unknown): Promise<EngineTurnResult> {
  const cause = turn.signal.aborted ? turn.signal.reason : error;
  if (cause instanceof LostThread) throw cause;
  if (turn.signal.aborted && !(cause instanceof LimitReached)) {
    await turn.record(
      { type: 'response_item', payload: message(turn.thread.world, 'user', [textPart(ABORTED_NOTE)]) },
      { type: 'event_msg', payload: { type: 'turn_aborted', turn_id: turn.id, reason: 'interrupted' } },
    );
    const ledger = closeLedger(turn);
    turn.emit({ type: 'turn.aborted', reason: 'interrupted' });
    return { status: 'aborted', finalResponse: '', usage: turn.state.usage, ledger, error: null };
  }
  const failure = turnErrorOf(cause);
  await turn.record({ type: 'oxbow', payload: { kind: 'turn.failed', turn_id: turn.id, ...recordOf(failure, cause) } });
  return failed(turn, failure);
}

function failed(turn: Turn, error: TurnError): EngineTurnResult {
  const ledger = closeLedger(turn);
  turn.emit({ type: 'turn.failed', error });
  return { status: 'failed', finalResponse: '', usage: turn.state.usage, ledger, error };
}

/** Ends a turn whose thread another owner has taken: nothing is recorded, and nothing of it runs on. */
async function endLost(turn: Turn, error: unknown): Promise<EngineTurnResult> {
  if (!(error instanceof LostThread)) throw error;
  await turn.thread.environment.close();
  return failed(turn, { code: 'lost', message: error.message });
}

function completePlan({ plan, emit }: Turn): void {
  if (plan) emit({ type: 'item.completed', item: plan });
}

function turnErrorOf(error: unknown): TurnError {
  const message = messageOf(error);
  if (error instanceof LimitReached) {
    return { code: 'limit', message, limit: { kind: error.limit, value: error.value } };
  }
  const code = error instanceof ModelError ? error.code : 'internal';
  const remedy = error instanceof ModelError || error instanceof UserError ? error.remedy : undefined;
  return { code, message, ...(remedy !== undefined && { remedy }) };
}

/** Returns a failure as its line tells it: without advice, and with what a replay has to know beside the message. */
function recordOf({ remedy: _, ...failure }: TurnError, error: unknown): FailureRecord {
  if (!(error instanceof ModelError)) return failure;
  const { cutOff, said } = error;
  return { ...failure, ...(cutOff !== undefined && { cut_off: cutOff }), ...(said !== undefined && { said }) };
}

type FailureRecord = Omit<Extract<OxbowLine, { kind: 'turn.failed' }>, 'kind' | 'turn_id'>;

function sessionMeta({ id, world, originator, version, source }: ThreadSetup, setup: TurnSetup): LogLine {
  return {
    type: 'session_meta',
    payload: {
      id,
      session_id: id,
      timestamp: new Date(world.now()).toISOString(),
      cwd: setup.view.cwd,
      originator,
      cli_version: version,
      source,
      model_provider: setup.providerId,
      base_instructions: { text: setup.prompt.instructions },
      history_mode: 'legacy',
      oxbow_format: ROLLOUT_FORMAT,
    },
  };
}

const ABORTED_NOTE = `<turn_aborted>
The user interrupted this turn on purpose. Commands that were running were stopped and may have taken effect in part; terminals opened earlier may still be running. Check the state of things before you go on.
</turn_aborted>`;
