import type { Action } from '../../base/action.ts';
import { UserError } from '../../base/errors.ts';
import type { Answer, Ask, GivenAnswer } from '../../base/event.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ApprovalScope } from '../../base/policy.ts';

/** The answer of the user, in one form. */
export type UserReply =
  | {
      readonly type: 'approve';
      readonly scope: ApprovalScope;
      readonly content?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'decline'; readonly message?: string }
  | { readonly type: 'abort' }
  | { readonly type: 'edit'; readonly action: Action };

/** Converts an answer. Throws `UserError`, because programs in JavaScript may return any value. */
export function readAnswer(answer: Answer, { scopes, action }: Ask): UserReply | { readonly type: 'suspend' } {
  if (answer === 'approved') return { type: 'approve', scope: { type: 'once' } };
  if (answer === 'denied') return { type: 'decline' };
  if (!isRecord(answer) || !ANSWERS.has(answer.type))
    throw new UserError('invalid_input', `${JSON.stringify(answer)} is not an answer.`);
  if (answer.type === 'approve') {
    const { scope = { type: 'once' }, content } = answer;
    const offered = scopes.find((one) => JSON.stringify(one.scope) === JSON.stringify(scope));
    if (!offered)
      throw new UserError('invalid_input', `The answer gives a scope that was not offered: ${JSON.stringify(scope)}.`);
    return { type: 'approve', scope: offered.scope, ...(isRecord(content) ? { content } : {}) };
  }
  if (answer.type === 'edit' && answer.action?.kind !== action.kind)
    throw new UserError('invalid_input', `The answer puts a ${answer.action?.kind} in the place of a ${action.kind}.`);
  return answer;
}

const ANSWERS: ReadonlySet<unknown> = new Set(['approve', 'decline', 'abort', 'edit', 'suspend']);

/** Returns an answer as events and logs contain it. */
export function givenAnswer(reply: UserReply): GivenAnswer {
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
