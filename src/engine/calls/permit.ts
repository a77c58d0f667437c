import type { Action } from '../../base/action.ts';
import { messageOf, UserError } from '../../base/errors.ts';
import type { Answer, Ask, GivenAnswer } from '../../base/event.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ApprovalScope, Decision } from '../../base/policy.ts';
import type { Tool, ToolCall } from '../../base/tool.ts';
import { visibleLine } from '../../base/visible-text.ts';
import { describeAction } from '../../policy/describe-action.ts';
import type { Judge } from '../../policy/judge.ts';
import type { TerminalStanding } from '../../policy/knowledge.ts';
import type { Turn } from '../turn-setup.ts';
import { briefAction } from './brief-action.ts';
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
}

/** The parts of a call that a decision about its action depends on. */
export interface PermitParts {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly judge: Judge;
  /** Lock of the call. Other calls may read while the user is asked. */
  readonly held: HeldLock;
}

/** After this number of edits, an answer counts as a refusal. */
const MOST_EDITS = 10;

/**
 * Decides about an action, and asks the user if the policy demands it. Decides again about an action that the user
 * edited.
 */
export async function permit(
  turn: Turn,
  { call, tool, judge, held }: PermitParts,
  planned: Action,
): Promise<Permit | CallRefusal> {
  let action = planned;
  for (let edits = 0; edits <= MOST_EDITS; edits++) {
    const decision = judge.decide(action, await judge.distrust(action));
    const edited = edits > 0;
    if (decision.type === 'deny') return { type: 'refusal', action, reason: decision.reason };
    if (decision.type === 'allow') return toPermit(action, edited, decision, undefined);
    const reply = await held.lend(() => ask(turn, { call, action, decision, judge }));
    if (reply.type === 'abort') turn.interrupt();
    turn.signal.throwIfAborted();
    if (reply.type === 'approve') {
      judge.remember(reply.scope, action);
      return toPermit(action, edited, decision, reply.scope);
    }
    if (reply.type !== 'edit') return { type: 'refusal', action, reason: refusalText(action, decision, reply) };
    action = (await tool.replan?.(reply.action, turn.setup.view)) ?? reply.action;
  }
  return { type: 'refusal', action, reason: rejected(action) };
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

function refusalText(action: Action, { reason }: Extract<Decision, { type: 'ask' }>, reply: AskReply): string {
  if (reply.type === 'nobody') {
    return `${rejected(action, 'approval settings')}: nobody can be asked (${reason}). Do it another way inside the sandbox, or say in your answer what the user has to do.`;
  }
  const message = reply.type === 'decline' ? reply.message : undefined;
  return message === undefined || message.trim() === '' ? rejected(action) : `${rejected(action)}: ${message}`;
}

function rejected(action: Action, by = 'user'): string {
  return action.kind === 'patch' ? `patch rejected by ${by}` : `rejected by ${by}`;
}

/** The answer of the user. */
type AskReply =
  | { readonly type: 'approve'; readonly scope: ApprovalScope }
  | { readonly type: 'decline'; readonly message?: string }
  | { readonly type: 'abort' }
  | { readonly type: 'edit'; readonly action: Action }
  /** There is no user to ask. */
  | { readonly type: 'nobody' };

interface PendingQuestion {
  readonly call: ToolCall;
  readonly action: Action;
  readonly decision: Extract<Decision, { type: 'ask' }>;
  readonly judge: Judge;
}

/** Asks the user whether an action may happen. The question and the answer are recorded. */
async function ask(turn: Turn, { call, action, decision, judge }: PendingQuestion): Promise<AskReply> {
  const { thread, setup } = turn;
  if (!thread.ask) return { type: 'nobody' };
  const { sandboxed } = decision;
  const reason = visibleLine(decision.reason);
  const question: Ask = {
    id: thread.world.uuid(),
    callId: call.callId,
    action,
    argv: action.kind === 'command' ? action.argv : [],
    cwd: action.kind === 'command' ? action.cwd : setup.view.cwd,
    shown: describeAction(action),
    reason,
    sandboxed,
    scopes: decision.scopes.map((scope) => ({
      scope,
      effect: visibleLine(judge.describe(scope, action, sandboxed)),
    })),
  };
  const { callId: call_id } = call;
  const asked = { kind: 'ask.opened', call_id, action: briefAction(action), reason, sandboxed } as const;
  await turn.note({ type: 'oxbow', payload: asked });
  turn.emit({ type: 'ask.opened', ask: question });
  const reply = await replyTo(question, turn, thread.ask);
  const given = toGiven(reply);
  const onRecord = given.action ? { ...given, action: briefAction(given.action) } : given;
  await turn.note({ type: 'oxbow', payload: { kind: 'ask.answered', call_id, ...onRecord } });
  turn.emit({ type: 'ask.answered', askId: question.id, ...given });
  return reply;
}

type UserReply = Exclude<AskReply, { type: 'nobody' }>;

/** Returns the answer to a question. An answer that makes no sense declines, and the programmer is warned. */
async function replyTo(question: Ask, turn: Turn, answer: NonNullable<Turn['thread']['ask']>): Promise<UserReply> {
  try {
    return toReply(await answer(question, turn.signal), question);
  } catch (error) {
    turn.signal.throwIfAborted();
    const message = `The program's own function \`ask\` failed, so the action was declined: ${messageOf(error)}`;
    turn.emit({ type: 'warning', code: 'callback', message });
    return { type: 'decline', message: 'the question could not be put to the user' };
  }
}

/** Converts an answer. Programs in JavaScript may return any value. */
function toReply(answer: Answer, { scopes, action }: Ask): UserReply {
  if (answer === 'approved') return { type: 'approve', scope: { type: 'once' } };
  if (answer === 'denied') return { type: 'decline' };
  if (!isRecord(answer) || !ANSWERS.has(answer.type)) throw new Error(`${JSON.stringify(answer)} is not an answer.`);
  if (answer.type === 'approve') {
    const { scope = { type: 'once' } } = answer;
    const offered = scopes.find((one) => JSON.stringify(one.scope) === JSON.stringify(scope));
    if (!offered)
      throw new UserError('invalid_input', `The answer gives a scope that was not offered: ${JSON.stringify(scope)}.`);
    return { type: 'approve', scope: offered.scope };
  }
  if (answer.type === 'edit' && answer.action?.kind !== action.kind)
    throw new UserError('invalid_input', `The answer puts a ${answer.action?.kind} in the place of a ${action.kind}.`);
  return answer;
}

const ANSWERS: ReadonlySet<unknown> = new Set(['approve', 'decline', 'abort', 'edit']);

function toGiven(reply: UserReply): GivenAnswer {
  switch (reply.type) {
    case 'approve':
      return { answer: 'approved', ...(reply.scope.type === 'once' ? {} : { scope: reply.scope }) };
    case 'decline':
      return { answer: 'denied', ...(reply.message === undefined ? {} : { message: reply.message }) };
    case 'abort':
      return { answer: 'aborted' };
    case 'edit':
      return { answer: 'edited', action: reply.action };
  }
}
