import type { PatchAction } from '../base/action.ts';
import type { Decision, Policy } from '../base/policy.ts';
import type { PatchKnowledge } from './knowledge.ts';
import { type Question, reasonOf, refusalOf } from './question.ts';

/** Decides whether a patch may change its files. */
export function decidePatch(action: PatchAction, policy: Policy, known: PatchKnowledge): Decision {
  if (action.changes.length === 0) return { type: 'deny', reason: 'patch rejected: empty patch', cause: 'other' };
  const [unreadable] = known.unreadable;
  if (unreadable !== undefined)
    return { type: 'deny', reason: `patch rejected: ${unreadable} may not be read (deny_read)`, cause: 'deny_read' };
  const confined = policy.sandbox.mode !== 'danger-full-access';
  const leaves = confined && (action.escalate || known.outside.length > 0);
  const sandboxed = confined && !leaves;
  const questions = questionsAbout(action, policy, leaves ? known.outside : undefined);
  if (questions.length === 0) return { type: 'allow', sandboxed };
  const refusal = refusalOf(questions, policy.approval);
  if (refusal) return refusal;
  return {
    type: 'ask',
    reason: reasonOf(questions),
    sandboxed,
    scopes: [{ type: 'once' }, { type: 'thread' }],
  };
}

/** Returns the questions about a patch. `outside` has the files for which the patch must leave the sandbox. */
function questionsAbout(
  action: PatchAction,
  { approval, sandbox, destructivePatches }: Policy,
  outside: readonly string[] | undefined,
): Question[] {
  const questions: Question[] = [];
  if (outside) questions.push(outsideQuestion(action, outside, sandbox.mode === 'read-only'));
  const destroyed = action.changes.filter(({ destroys }) => destroys).map(({ path }) => path);
  if (destroyed.length > 0 && destructivePatches !== 'allow' && approval !== 'never') {
    questions.push({
      about: 'danger',
      reason: `Git could not bring back what this patch deletes or writes over: ${destroyed.join(', ')}.`,
      underNever: '',
    });
  }
  if (approval === 'untrusted' && questions.length === 0) questions.push(UNTRUSTED);
  return questions;
}

function outsideQuestion({ justification }: PatchAction, outside: readonly string[], readOnly: boolean): Question {
  const where = readOnly ? 'The sandbox is read-only' : 'The sandbox does not let it';
  const what = outside.length === 0 ? '' : `${where}, and the patch writes to ${outside.join(', ')}.`;
  const reason = [justification, what].filter(Boolean).join(' ');
  const fault = readOnly ? 'writing is blocked by read-only sandbox' : 'writing outside of the project';
  return {
    about: 'sandbox',
    reason: reason || 'The model asks to write these files outside the sandbox.',
    underNever: `patch rejected: ${fault}; rejected by user approval settings`,
  };
}

const UNTRUSTED: Question = {
  about: 'untrusted',
  reason: 'The model wants to change files, and the approval policy is "untrusted".',
  underNever: '',
};
