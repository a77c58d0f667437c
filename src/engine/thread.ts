import { ModelError, messageOf } from '../base/errors.ts';
import type { EventBody, TurnError } from '../base/event.ts';
import type { ContentPart } from '../base/item.ts';
import type { LogLine } from '../base/log.ts';
import type { Usage } from '../base/usage.ts';
import { createLimits, LimitReached, type LimitSettings, withTimeLimit } from './limits.ts';
import { applyLine, emptyState, type ThreadState } from './thread-state.ts';
import { runTurn, textPart, userMessage } from './turn.ts';
import { createTurnDiff } from './turn-diff.ts';
import type { ThreadSetup, Turn } from './turn-setup.ts';

export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly limits?: LimitSettings;
  /** A JSON schema that the final answer must fit; the server sees to it. */
  readonly outputSchema?: unknown;
}

export interface TurnResult {
  readonly status: 'completed' | 'failed' | 'aborted';
  readonly finalResponse: string;
  /** The thread's tokens so far. */
  readonly usage: Usage;
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
  /** Ends every process that the thread started. */
  close(): Promise<void>;
}

/** A thread over a log: a new one, or one that is read first. */
export async function openThread(setup: ThreadSetup, { resume }: { resume: boolean }): Promise<EngineThread> {
  const state = emptyState();
  if (resume) for await (const line of setup.log.read()) applyLine(state, line);
  let running = false;
  let announced = false;

  async function record(line: LogLine): Promise<void> {
    await setup.log.append(line);
    applyLine(state, line);
  }

  return {
    id: setup.id,
    path: setup.log.path,
    state,
    async run(input, options = {}) {
      if (running) throw new Error('A turn of this thread is still running; wait for it to end.');
      running = true;
      try {
        if (!announced) setup.emit({ type: 'thread.started' }, null);
        announced = true;
        if (!state.meta) await record(sessionMeta(setup));
        return await runOneTurn(setup, state, record, input, options);
      } finally {
        running = false;
      }
    },
    async close() {
      await setup.environment.close();
      await setup.log.close();
    },
  };
}

async function runOneTurn(
  setup: ThreadSetup,
  state: ThreadState,
  record: Turn['record'],
  input: readonly ContentPart[],
  options: RunOptions,
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
    plan: null,
    diff: createTurnDiff(setup.gitDiff, setup.showPath),
  };
  emit({ type: 'turn.started' });
  try {
    const finalResponse = await runTurn(turn, input);
    const payload = { type: 'task_complete', turn_id: id, last_agent_message: finalResponse } as const;
    await record({ type: 'event_msg', payload });
    completePlan(turn);
    emit({ type: 'turn.completed', usage: state.usage, finalResponse });
    return { status: 'completed', finalResponse, usage: state.usage, error: null };
  } catch (error) {
    return await endBadly(turn, error);
  } finally {
    time.done();
  }
}

async function endBadly(turn: Turn, error: unknown): Promise<TurnResult> {
  const { usage } = turn.state;
  completePlan(turn);
  const cause = turn.signal.aborted ? turn.signal.reason : error;
  if (turn.signal.aborted && !(cause instanceof LimitReached)) {
    await turn.record({ type: 'response_item', payload: userMessage(turn, [textPart(ABORTED_NOTE)]) });
    const payload = { type: 'turn_aborted', turn_id: turn.id, reason: 'interrupted' } as const;
    await turn.record({ type: 'event_msg', payload });
    turn.emit({ type: 'turn.aborted', reason: 'interrupted' });
    return { status: 'aborted', finalResponse: '', usage, error: null };
  }
  const failure = { code: codeOf(cause), message: messageOf(cause) };
  await turn.record({ type: 'oxbow', payload: { kind: 'turn.failed', turn_id: turn.id, ...failure } });
  turn.emit({ type: 'turn.failed', error: failure });
  return { status: 'failed', finalResponse: '', usage, error: failure };
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
