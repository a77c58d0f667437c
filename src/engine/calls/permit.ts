import type { Action } from '../../base/action.ts';
import { messageOf } from '../../base/errors.ts';
import type { Ask } from '../../base/event.ts';
import type { ApprovalScope, Decision, RefusalCause } from '../../base/policy.ts';
import type { Tool, ToolCall } from '../../base/tool.ts';
import { visibleLine } from '../../base/visible-text.ts';
import { describeAction } from '../../policy/describe-action.ts';
import type { Judge } from '../../policy/judge.ts';
import type { TerminalStanding } from '../../policy/knowledge.ts';
import type { Turn } from '../turn-setup.ts';
import { briefAction } from './brief-action.ts';
import type { AnsweredAsk } from './perform-options.ts';
import { givenAnswer, readAnswer, type UserReply } from './read-answer.ts';
import type { HeldLock } from './read-write-lock.ts';

/** Permission for an action. */
export interface Permit {
  readonly type: 'permit';
  /** The action of the tool, or the action that the user put in its place. */
  readonly action: Action;
  readonly edited: boolean;
  readonly sandboxed: boolean;
  /** Whether the user is asked to repeat the action outside, if the sandbox makes it fail. */
  readonly askAgain: boolean;
  /** Standing of a terminal that the action opens. It decides which input may be typed. */
  readonly standing: TerminalStanding;
}

export interface CallRefusal {
  readonly type: 'refusal';
  readonly action: Action;
  /** Output of the call. */
  readonly reason: string;
  readonly cause: RefusalCause;
}

/** The question about an action stays open, and the call does not start. */
export interface CallSuspension {
  readonly type: 'suspension';
}

/** The parts of a call that a decision about its action depends on. */
export interface PermitParts {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly judge: Judge;
  /** Lock of the call. Other calls may read while the user is asked. */
  readonly held: HeldLock;
  /** The answer to the suspended question of the call. */
  readonly answered?: AnsweredAsk;
  /** Whether the call has started. Its questions cannot be suspended. */
  readonly started?: true;
}

/** After this number of edits, an answer counts as a refusal. */
const MOST_EDITS = 10;

/**
 * Decides about an action, and asks the user if the policy demands it. Decides again after each answer: the policy or
 * the action may have changed since the question, and then the approval does not count.
 */
export async function permit(
  turn: Turn,
  parts: PermitParts,
  planned: Action,
): Promise<Permit | CallRefusal | CallSuspension> {
  const { tool, judge, held, answered } = parts;
  let action = planned;
  let edits = answered?.edited ? 1 : 0;
  for (let last: LastReply | undefined = answered; ; ) {
    const reply = last?.reply;
    if (reply?.type === 'abort') turn.interrupt();
    turn.signal.throwIfAborted();
    if (reply?.type === 'suspend') return { type: 'suspension' };
    if (reply?.type === 'decline' || reply?.type === 'nobody')
      return { type: 'refusal', action, reason: refusalText(action, reply), cause: 'other' };
    if (reply?.type === 'edit') {
      if (edits++ === MOST_EDITS) return { type: 'refusal', action, reason: rejected(action), cause: 'other' };
      action = (await tool.replan?.(reply.action, turn.setup.view)) ?? reply.action;
    }
    const decision = judge.decide(action, await judge.distrust(action));
    const edited = edits > 0;
    if (decision.type === 'deny') return { ...decision, type: 'refusal', action };
    if (decision.type === 'allow') return toPermit(action, edited, decision, undefined);
    if (last?.reply.type === 'approve' && isSameQuestion(last.ask, action, decision)) {
      judge.remember(last.reply.scope, action);
      return toPermit(action, edited, decision, last.reply.scope);
    }
    last = await held.lend(() => ask(turn, parts, { action, edited, decision }));
  }
}

/** A question, and the answer to it. */
interface LastReply {
  readonly ask: Ask;
  readonly reply: AskReply;
}

type AskDecision = Extract<Decision, { type: 'ask' }>;

function isSameQuestion(ask: Ask, action: Action, { sandboxed, scopes }: AskDecision): boolean {
  if (ask.sandboxed !== sandboxed) return false;
  const asked = [ask.action, ask.scopes.map(({ scope }) => scope)];
  return JSON.stringify(asked) === JSON.stringify([action, scopes]);
}

function toPermit(
  action: Action,
  edited: boolean,
  { sandboxed, askAgain = false }: Exclude<Decision, { type: 'deny' }>,
  scope: ApprovalScope | undefined,
): Permit {
  // A command that the policy or a rule allows without asking may receive any typed input.
  const asked = scope !== undefined && scope.type !== 'terminal' && scope.type !== 'prefix';
  const outside = asked ? 'asked' : 'approved';
  return { type: 'permit', action, edited, sandboxed, askAgain, standing: sandboxed ? 'inside' : outside };
}

function refusalText(action: Action, reply: Extract<AskReply, { type: 'decline' | 'nobody' }>): string {
  if (reply.type === 'nobody') {
    return `${rejected(action, 'approval settings')}: nobody can be asked (${reply.reason}). Do it another way inside the sandbox, or say in your answer what the user has to do.`;
  }
  const { message } = reply;
  return message === undefined || message.trim() === '' ? rejected(action) : `${rejected(action)}: ${message}`;
}

function rejected(action: Action, by = 'user'): string {
  return action.kind === 'patch' ? `patch rejected by ${by}` : `rejected by ${by}`;
}

/** The answer to a question. */
type AskReply =
  | UserReply
  | { readonly type: 'suspend' }
  /** There is no user to ask. */
  | { readonly type: 'nobody'; readonly reason: string };

interface PendingQuestion {
  readonly action: Action;
  readonly edited: boolean;
  readonly decision: AskDecision;
}

/** Asks the user whether an action may happen. The question and the answer are recorded. */
async function ask(turn: Turn, parts: PermitParts, pending: PendingQuestion): Promise<LastReply> {
  const { call, answered, started } = parts;
  const { thread } = turn;
  const question = questionOf(turn, parts, pending);
  // The program that answers later can be asked later again.
  const answer = thread.ask ?? (answered && (() => SUSPEND));
  if (!answer) return { ask: question, reply: { type: 'nobody', reason: pending.decision.reason } };
  const { callId: call_id } = call;
  const { action, reason, sandboxed } = question;
  const asked = { kind: 'ask.opened', call_id, action: briefAction(action), reason, sandboxed } as const;
  await turn.note({ type: 'oxbow', payload: asked });
  turn.emit({ type: 'ask.opened', ask: question });
  const given = await replyTo(question, turn, answer);
  const reply: AskReply = given.type === 'suspend' && started ? { type: 'decline' } : given;
  if (reply.type !== 'suspend') await recordAnswer(turn, call, question, reply);
  else await recordSuspension(turn, call, question, pending.edited);
  return { ask: question, reply };
}

const SUSPEND = { type: 'suspend' } as const;

export function questionOf(
  turn: Turn,
  { call, judge }: { readonly call: Pick<ToolCall, 'callId'>; readonly judge: Judge },
  { action, decision }: Omit<PendingQuestion, 'edited'>,
): Ask {
  const { sandboxed } = decision;
  return {
    id: turn.thread.world.uuid(),
    callId: call.callId,
    action,
    argv: action.kind === 'command' ? action.argv : [],
    cwd: action.kind === 'command' ? action.cwd : turn.setup.view.cwd,
    shown: describeAction(action),
    reason: visibleLine(decision.reason),
    sandboxed,
    scopes: decision.scopes.map((scope) => ({
      scope,
      effect: visibleLine(judge.describe(scope, action, sandboxed)),
    })),
  };
}

/** Records and shows the answer to a question. */
export async function recordAnswer(
  turn: Turn,
  { callId: call_id }: Pick<ToolCall, 'callId'>,
  { id }: Ask,
  reply: UserReply,
): Promise<void> {
  const given = givenAnswer(reply);
  const onRecord = given.action ? { ...given, action: briefAction(given.action) } : given;
  await turn.note({ type: 'oxbow', payload: { kind: 'ask.answered', call_id, ...onRecord } });
  turn.emit({ type: 'ask.answered', askId: id, ...given });
}

/** Records an open question. The whole action is kept, so that the question can be shown and compared later. */
async function recordSuspension(turn: Turn, call: ToolCall, question: Ask, edited: boolean): Promise<void> {
  const open = { call_id: call.callId, call: call.payload.kind, ask: question, ...(edited ? { edited } : {}) } as const;
  await turn.record({ type: 'oxbow', payload: { kind: 'ask.suspended', ...open } });
}

/**
 * Returns the answer to a question. An answer that makes no sense declines, and the programmer is warned. Throws if the
 * turn was interrupted meanwhile, whatever the answer is.
 */
export async function replyTo(
  question: Ask,
  turn: Turn,
  answer: NonNullable<Turn['thread']['ask']>,
): Promise<ReturnType<typeof readAnswer>> {
  try {
    const given = await answer(question, turn.signal);
    // The turn has ended without the answer, or is about to. It must record nothing now.
    turn.signal.throwIfAborted();
    return readAnswer(given, question);
  } catch (error) {
    turn.signal.throwIfAborted();
    const message = `The program's own function \`ask\` failed, so the action was declined: ${messageOf(error)}`;
    turn.emit({ type: 'warning', code: 'callback', message });
    return { type: 'decline', message: 'the question could not be put to the user' };
  }
}
