import type { Action } from '../base/action.ts';
import type { Decision, Policy } from '../base/policy.ts';

/** Whether an action may happen, must be asked for, or is refused. Pure: the same question has the same answer. */
export function decide(action: Action, policy: Policy): Decision {
  // A terminal was approved when it opened; what is typed into it is part of that.
  if (action.kind === 'terminal_input') return { type: 'allow', sandboxed: true };
  // A plan touches nothing; a tool of the embedding program is that program's own doing.
  if (action.kind === 'plan' || action.kind === 'own') return { type: 'allow', sandboxed: true };
  if (policy.sandbox.mode === 'danger-full-access') return { type: 'allow', sandboxed: false };
  if (!action.escalate) return { type: 'allow', sandboxed: true };
  if (policy.approval === 'never') return { type: 'deny', reason: ESCALATION_UNDER_NEVER };
  return { type: 'ask', reason: action.justification ?? 'The model asks to run this outside the sandbox.' };
}

const ESCALATION_UNDER_NEVER =
  'approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never';
