import { ModelError, messageOf } from '../base/errors.ts';
import type { EventBody, TurnError } from '../base/event.ts';
import type { QueuedInput } from '../base/input.ts';
import type { ContentPart } from '../base/item.ts';
import type { Ledger } from '../base/ledger.ts';
import type { LogLine, OxbowLine } from '../base/log.ts';
import type { Usage } from '../base/usage.ts';
import { applyLine } from './apply-line.ts';
import { beginTurn } from './begin-turn.ts';
import { compact } from './compaction.ts';
import { createLimits, LimitReached, type LimitSettings, withTimeLimit } from './limits.ts';
import { message, textPart } from './message.ts';
import { emptyState, type ThreadState } from './thread-state.ts';
import { runTurn } from './turn.ts';
import { createTurnDiff } from './turn-diff.ts';
import { createTurnLedger } from './turn-ledger.ts';
import type { ThreadSetup, Turn } from './turn-setup.ts';

export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly limits?: LimitSettings;
  /** A JSON schema that the final answer must fit; the server sees to it. */
  readonly outputSchema?: unknown;
  /** Base instructions from this turn on. */
  readonly baseInstructions?: string;
}

export interface TurnResult {
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
  /** Where its log lies; null when it is kept nowhere. */
  readonly path: string | null;
  /** What the thread knows: the fold over its log. */
  readonly state: Readonly<ThreadState>;
  /** Runs one turn. Never throws for what models, servers or tools do: the result says how it went. */
  run(input: readonly ContentPart[], options?: RunOptions): Promise<TurnResult>;
  /** Replaces the history by a shorter one, with the model's help. The result says how it went. */
  compact(options?: Pick<RunOptions, 'signal'>): Promise<TurnResult>;
  /** Gives input that goes with the next request: of the turn that runs, or of the next one. */
  steer(input: readonly ContentPart[]): Promise<QueuedInput>;
  /** Changes what waits. False when it waits no longer. */
  editQueued(id: string, input: readonly ContentPart[]): Promise<boolean>;
  removeQueued(id: string): Promise<boolean>;
  /** Ends every process that the thread started. */
  close(): Promise<void>;
}

/** A thread over a log: a new one, or one that is read first. */
export async function openThread(setup: ThreadSetup, { resume }: { resume: boolean }): Promise<EngineThread> {
  const state = emptyState();
  if (resume) for await (const line of setup.log.resume()) applyLine(state, line);
  let running = false;
  let announced = false;

  async function record(line: LogLine): Promise<void> {
    await setup.log.append(line);
    applyLine(state, line);
  }

  async function start(): Promise<void> {
    if (!announced) setup.emit({ type: 'thread.started' }, null);
    announced = true;
    if (!state.meta) await record(sessionMeta(setup));
  }

  async function alone(work: Work, options: RunOptions): Promise<TurnResult> {
    if (running) throw new Error('A turn of this thread is still running; wait for it to end.');
    running = true;
    try {
      await start();
      return await runOneTurn(setup, state, record, { work, options });
    } finally {
      running = false;
      setup.log.rest();
    }
  }

  async function recordQueue(payload: OxbowLine): Promise<void> {
    await start();
    await record({ type: 'oxbow', payload });
    setup.emit({ type: 'queue.changed', queue: [...state.queue] }, null);
  }

  return {
    id: setup.id,
    path: setup.log.path,
    state,
    run: (input, options = {}) => alone((turn) => runTurn(turn, input), options),
    compact: (options = {}) => alone(compactAlone, options),
    ...createQueue(setup, state, recordQueue),
    async close() {
      await setup.environment.close();
      await setup.log.close();
    },
  };
}

function createQueue(
  { world }: ThreadSetup,
  { queue }: ThreadState,
  record: (line: OxbowLine) => Promise<void>,
): Pick<EngineThread, 'steer' | 'editQueued' | 'removeQueued'> {
  const waits = (id: string) => queue.some((input) => input.id === id);
  return {
    async steer(content) {
      const input = { id: world.uuid(), content };
      await record({ kind: 'input.queued', ...input });
      return input;
    },
    async editQueued(id, content) {
      if (!waits(id)) return false;
      await record({ kind: 'input.edited', id, content });
      return true;
    },
    async removeQueued(id) {
      if (!waits(id)) return false;
      await record({ kind: 'input.removed', id });
      return true;
    },
  };
}

/** What a turn does; gives its final answer. */
type Work = (turn: Turn) => Promise<string>;

async function compactAlone(turn: Turn): Promise<string> {
  await beginTurn(turn);
  await compact(turn, 'asked');
  return '';
}

async function runOneTurn(
  setup: ThreadSetup,
  state: ThreadState,
  record: Turn['record'],
  { work, options }: { work: Work; options: RunOptions },
): Promise<TurnResult> {
  const id = setup.world.uuid();
  const limits = options.limits ?? {};
  const time = withTimeLimit(options.signal ?? new AbortController().signal, limits.timeoutMs);
  const emit = (event: EventBody) => setup.emit(event, id);
  const turn: Turn = {
    id,
    setup,
    state,
    record,
    emit,
    signal: time.signal,
    interrupt: time.abort,
    limits: createLimits(limits),
    outputSchema: options.outputSchema,
    baseInstructions: options.baseInstructions,
    previousModel: state.lastTurn?.model ?? null,
    plan: null,
    diff: createTurnDiff(setup.gitDiff, setup.showPath),
    ledger: createTurnLedger(),
    workspaceKept: false,
  };
  emit({ type: 'turn.started' });
  try {
    const finalResponse = await work(turn);
    const payload = { type: 'task_complete', turn_id: id, last_agent_message: finalResponse } as const;
    await record({ type: 'event_msg', payload });
    completePlan(turn);
    const ledger = closeLedger(turn);
    emit({ type: 'turn.completed', usage: state.usage, finalResponse });
    return { status: 'completed', finalResponse, usage: state.usage, ledger, error: null };
  } catch (error) {
    return await endBadly(turn, error);
  } finally {
    time.done();
  }
}

function closeLedger({ ledger, emit }: Turn): Ledger {
  const total = ledger.total();
  emit({ type: 'turn.ledger', ledger: total });
  return total;
}

async function endBadly(turn: Turn, error: unknown): Promise<TurnResult> {
  const { usage } = turn.state;
  completePlan(turn);
  const cause = turn.signal.aborted ? turn.signal.reason : error;
  if (turn.signal.aborted && !(cause instanceof LimitReached)) {
    await turn.record({ type: 'response_item', payload: message(turn.setup.world, 'user', [textPart(ABORTED_NOTE)]) });
    const payload = { type: 'turn_aborted', turn_id: turn.id, reason: 'interrupted' } as const;
    await turn.record({ type: 'event_msg', payload });
    const ledger = closeLedger(turn);
    turn.emit({ type: 'turn.aborted', reason: 'interrupted' });
    return { status: 'aborted', finalResponse: '', usage, ledger, error: null };
  }
  const failure = { code: codeOf(cause), message: messageOf(cause) };
  await turn.record({ type: 'oxbow', payload: { kind: 'turn.failed', turn_id: turn.id, ...failure } });
  const ledger = closeLedger(turn);
  turn.emit({ type: 'turn.failed', error: failure });
  return { status: 'failed', finalResponse: '', usage, ledger, error: failure };
}

function completePlan({ plan, emit }: Turn): void {
  if (plan) emit({ type: 'item.completed', item: plan });
}

function codeOf(error: unknown): TurnError['code'] {
  if (error instanceof ModelError) return error.code;
  return error instanceof LimitReached ? 'limit' : 'internal';
}

function sessionMeta(setup: ThreadSetup): LogLine {
  return {
    type: 'session_meta',
    payload: {
      id: setup.id,
      session_id: setup.id,
      timestamp: new Date(setup.world.now()).toISOString(),
      cwd: setup.view.cwd,
      originator: setup.originator,
      cli_version: setup.version,
      source: 'exec',
      model_provider: setup.providerId,
      base_instructions: { text: setup.prompt.instructions },
      history_mode: 'legacy',
    },
  };
}

const ABORTED_NOTE = `<turn_aborted>
The user interrupted this turn on purpose. Commands that were running were stopped and may have taken effect in part; terminals opened earlier may still be running. Check the state of things before you go on.
</turn_aborted>`;
