import { LostThread, ModelError, messageOf, UserError } from '../../base/errors.ts';
import type { Ask, TurnError } from '../../base/event.ts';
import type { ContentPart } from '../../base/item.ts';
import type { Ledger } from '../../base/ledger.ts';
import type { OxbowLine } from '../../base/log.ts';
import type { Usage } from '../../base/usage.ts';
import { createDispatch, TurnSuspended } from '../calls/dispatch.ts';
import type { AnsweredAsk } from '../calls/perform-options.ts';
import { recordContext } from '../request/context-items.ts';
import { type SampledResponse, sample } from '../request/sample.ts';
import { LimitReached } from '../state/limits.ts';
import { message, textPart } from '../state/message.ts';
import { type OpenCall, openAsks } from '../state/thread-state.ts';
import type { Turn } from '../turn-setup.ts';
import { addInput, beginTurn } from './begin-turn.ts';
import { compact, compactIfNeeded } from './compaction.ts';
import { completeTurn, takeQueued } from './input-queue.ts';
import { askAgain, MOST_REFUSED, OutputInvalid, settleAnswer, WAITS } from './settle-answer.ts';
import { settleCalls } from './settle-calls.ts';

/** The result of a turn. */
export interface EngineTurnResult {
  /** How the turn ended. `failed`: see `error`. `aborted`: it was interrupted. `suspended`: see `asks`. */
  readonly status: 'completed' | 'failed' | 'aborted' | 'suspended';
  /** The final answer. Empty if the turn did not complete, except after `output_invalid`: then the last answer. */
  readonly finalResponse: string;
  /** Tokens of the thread so far. */
  readonly usage: Usage;
  /** Requests, tokens, bytes and time of this turn alone. */
  readonly ledger: Ledger;
  /** The reason of a failure, otherwise null. */
  readonly error: TurnError | null;
  /** The reason with which the turn was aborted, as it was passed. Undefined unless the status is `aborted`. */
  readonly abortReason?: unknown;
  /** The open questions. Undefined unless the status is `suspended`. */
  readonly asks?: readonly Ask[];
}

/**
 * The work of a turn between its first lines and its end. Returns the final answer, once the answer is on record. May
 * throw: the history stays valid for the next turn.
 */
export type TurnWork = (turn: Turn) => Promise<string>;

/**
 * Runs a turn from `turn.started` to its last event. Throws only if its end cannot be recorded. `onBegun` is called
 * when the first lines of the turn are on record.
 */
export async function runToEnd(turn: Turn, work: TurnWork, onBegun: () => void): Promise<EngineTurnResult> {
  turn.emit({ type: 'turn.started' });
  try {
    await beginTurn(turn);
    onBegun();
    const finalResponse = await work(turn);
    completePlan(turn);
    const { usage } = turn.state;
    const ledger = closeLedger(turn);
    turn.emit({ type: 'turn.completed', usage, finalResponse });
    return { status: 'completed', finalResponse, usage, ledger, error: null };
  } catch (error) {
    completePlan(turn);
    return await endBadly(turn, error).catch((failure: unknown) => endLost(turn, failure));
  }
}

/**
 * Runs an ordinary turn: adds the user's input, or the queued input if there is none. Then asks the model and runs its
 * calls until there is nothing left to send back. Returns the final answer. Throws `ModelError`, `LimitReached`,
 * `OutputInvalid` or `TurnSuspended`.
 */
export async function runTurn(turn: Turn, input: readonly ContentPart[]): Promise<string> {
  if (!(await addInput(turn, input))) return completeTurn(turn, '');
  return untilAnswered(turn);
}

/**
 * Runs a turn that goes on with the answer to a suspended question: runs its call, then asks the model as any other
 * turn. Throws `TurnSuspended` while there are more questions.
 */
export async function answerTurn(turn: Turn, { item }: OpenCall, answered: AnsweredAsk): Promise<string> {
  const dispatch = createDispatch(turn);
  dispatch.start(item, answered);
  await dispatch.settle();
  turn.signal.throwIfAborted();
  await compactIfNeeded(turn, 'between');
  await recordContext(turn);
  await takeQueued(turn);
  return untilAnswered(turn);
}

async function untilAnswered(turn: Turn): Promise<string> {
  for (let refused = 0; ; ) {
    const { followUp, lastMessage } = await respondWithinWindow(turn);
    const answer = lastMessage ?? '';
    const fate = followUp ? WAITS : await settleAnswer(turn, answer);
    if (fate.type === 'completed') return answer;
    if (fate.type === 'refused' && refused++ === MOST_REFUSED) throw new OutputInvalid(answer, fate.faults);
    await compactIfNeeded(turn, 'between');
    await takeQueued(turn);
    // After the compaction, which would drop the message.
    if (fate.type === 'refused') await askAgain(turn, fate.faults);
  }
}

/** Replaces the history by a shorter one and completes the turn with an empty answer. */
export async function compactTurn(turn: Turn): Promise<string> {
  await compact(turn, 'asked');
  return completeTurn(turn, '');
}

/**
 * Returns a response. If the server says that the history does not fit, compacts the history and asks again. Gives up
 * when no item was added since the last compaction, because the history cannot get any shorter.
 */
async function respondWithinWindow(turn: Turn): Promise<SampledResponse> {
  const { history } = turn.state;
  let compacted: number | undefined;
  for (;;) {
    try {
      return await sample(turn);
    } catch (error) {
      if (!(error instanceof ModelError) || error.code !== 'context_length_exceeded') throw error;
      if (history.length === compacted || !(await compact(turn, 'overflow', true))) throw error;
      compacted = history.length;
    }
  }
}

async function endBadly(turn: Turn, error: unknown): Promise<EngineTurnResult> {
  const cause = turn.signal.aborted ? turn.signal.reason : error;
  if (cause instanceof LostThread) throw cause;
  if (turn.signal.aborted && !(cause instanceof LimitReached)) return endAborted(turn);
  if (cause instanceof TurnSuspended) return endSuspended(turn);
  const failure = turnErrorOf(cause);
  await turn.record({ type: 'oxbow', payload: { kind: 'turn.failed', turn_id: turn.id, ...recordOf(failure, cause) } });
  return failed(turn, failure, cause instanceof OutputInvalid ? cause.answer : '');
}

async function endAborted(turn: Turn): Promise<EngineTurnResult> {
  const settled = settleCalls(turn, ({ suspended }) => suspended !== undefined);
  await turn.record(
    ...settled.lines,
    { type: 'response_item', payload: message(turn.thread.world, 'user', [textPart(ABORTED_NOTE)]) },
    { type: 'event_msg', payload: { type: 'turn_aborted', turn_id: turn.id, reason: 'interrupted' } },
  );
  settled.show();
  const ledger = closeLedger(turn);
  turn.emit({ type: 'turn.aborted', reason: 'interrupted' });
  const { reason: abortReason } = turn.signal;
  return { status: 'aborted', finalResponse: '', usage: turn.state.usage, ledger, error: null, abortReason };
}

async function endSuspended(turn: Turn): Promise<EngineTurnResult> {
  await turn.record({ type: 'oxbow', payload: { kind: 'turn.suspended', turn_id: turn.id } });
  const ledger = closeLedger(turn);
  const asks = openAsks(turn.state);
  turn.emit({ type: 'turn.suspended', asks });
  return { status: 'suspended', finalResponse: '', usage: turn.state.usage, ledger, error: null, asks };
}

/** Ends a turn whose thread another owner has taken. Nothing is recorded, and its commands are stopped. */
async function endLost(turn: Turn, error: unknown): Promise<EngineTurnResult> {
  if (!(error instanceof LostThread)) throw error;
  await turn.thread.environment.close();
  return failed(turn, { code: 'lost', message: error.message });
}

function failed(turn: Turn, error: TurnError, finalResponse = ''): EngineTurnResult {
  const ledger = closeLedger(turn);
  turn.emit({ type: 'turn.failed', error });
  return { status: 'failed', finalResponse, usage: turn.state.usage, ledger, error };
}

function completePlan({ plan, emit }: Turn): void {
  if (plan) emit({ type: 'item.completed', item: plan });
}

function closeLedger({ ledger, emit }: Turn): Ledger {
  const total = ledger.total();
  emit({ type: 'turn.ledger', ledger: total });
  return total;
}

function turnErrorOf(error: unknown): TurnError {
  const message = messageOf(error);
  if (error instanceof LimitReached) {
    return { code: 'limit', message, limit: { kind: error.limit, value: error.value } };
  }
  if (error instanceof OutputInvalid) return { code: 'output_invalid', message };
  const code = error instanceof ModelError ? error.code : 'internal';
  const remedy = error instanceof ModelError || error instanceof UserError ? error.remedy : undefined;
  const { codexMessage, resetsAt }: Partial<ModelError> = error instanceof ModelError ? error : {};
  return {
    code,
    message,
    ...(remedy !== undefined && { remedy }),
    ...(codexMessage && { codexMessage }),
    ...(resetsAt !== undefined && { resetsAt }),
  };
}

/** Returns the fields of the line for a failure. The line has no remedy, but it has the fields that a replay needs. */
function recordOf(
  { remedy: _, codexMessage: _body, resetsAt: _at, ...failure }: TurnError,
  error: unknown,
): FailureRecord {
  if (!(error instanceof ModelError)) return failure;
  const { cutOff, said } = error;
  return { ...failure, ...(cutOff !== undefined && { cut_off: cutOff }), ...(said !== undefined && { said }) };
}

type FailureRecord = Omit<Extract<OxbowLine, { kind: 'turn.failed' }>, 'kind' | 'turn_id'>;

const ABORTED_NOTE = `<turn_aborted>
The user interrupted this turn on purpose. Commands that were running were stopped and may have taken effect in part; terminals opened earlier may still be running. Check the state of things before you go on.
</turn_aborted>`;
