import type { Action } from '../../base/action.ts';
import { UserError } from '../../base/errors.ts';
import type { Answer, Ask, GivenAnswer } from '../../base/event.ts';
import type { ApprovalScope, Decision } from '../../base/policy.ts';
import type { ToolCall } from '../../base/tool.ts';
import type { Judge } from '../../policy/judge.ts';
import type { Turn } from '../turn-setup.ts';
import { briefAction } from './brief-action.ts';

/** What the user said. */
export type AskReply =
  | { readonly type: 'approve'; readonly scope: ApprovalScope }
  | { readonly type: 'decline'; readonly message?: string }
  | { readonly type: 'abort' }
  | { readonly type: 'edit'; readonly action: Action }
  /** Nobody is there to be asked. */
  | { readonly type: 'nobody' };

export interface PendingQuestion {
  readonly call: ToolCall;
  readonly action: Action;
  readonly decision: Extract<Decision, { type: 'ask' }>;
  readonly judge: Judge;
}

/** Asks the user whether an action may happen. The question and the answer are on record. */
export async function ask(turn: Turn, { call, action, decision, judge }: PendingQuestion): Promise<AskReply> {
  const { thread, setup } = turn;
  if (!thread.ask) return { type: 'nobody' };
  const { reason, sandboxed } = decision;
  const question: Ask = {
    id: thread.world.uuid(),
    callId: call.callId,
    action,
    argv: action.kind === 'command' ? action.argv : [],
    cwd: action.kind === 'command' ? action.cwd : setup.view.cwd,
    reason,
    sandboxed,
    scopes: decision.scopes.map((scope) => ({ scope, effect: judge.describe(scope, action, sandboxed) })),
  };
  const { callId: call_id } = call;
  const asked = { kind: 'ask.opened', call_id, action: briefAction(action), reason, sandboxed } as const;
  await turn.note({ type: 'oxbow', payload: asked });
  turn.emit({ type: 'ask.opened', ask: question });
  const reply = toReply(await thread.ask(question, turn.signal), question);
  const given = toGiven(reply);
  const onRecord = given.action ? { ...given, action: briefAction(given.action) } : given;
  await turn.note({ type: 'oxbow', payload: { kind: 'ask.answered', call_id, ...onRecord } });
  turn.emit({ type: 'ask.answered', askId: question.id, ...given });
  return reply;
}

function toReply(answer: Answer, { scopes, action }: Ask): Exclude<AskReply, { type: 'nobody' }> {
  if (answer === 'approved') return { type: 'approve', scope: { type: 'once' } };
  if (answer === 'denied') return { type: 'decline' };
  if (answer.type === 'approve') {
    const { scope = { type: 'once' } } = answer;
    const offered = scopes.find((one) => JSON.stringify(one.scope) === JSON.stringify(scope));
    if (!offered)
      throw new UserError('invalid_input', `The answer gives a scope that was not offered: ${JSON.stringify(scope)}.`);
    return { type: 'approve', scope: offered.scope };
  }
  if (answer.type === 'edit' && answer.action.kind !== action.kind)
    throw new UserError('invalid_input', `The answer puts a ${answer.action.kind} in the place of a ${action.kind}.`);
  return answer;
}

function toGiven(reply: Exclude<AskReply, { type: 'nobody' }>): GivenAnswer {
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
