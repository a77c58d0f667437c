import type { Action } from '../../base/action.ts';
import type { ApprovalScope, Decision } from '../../base/policy.ts';
import type { ToolCall } from '../../base/tool.ts';
import type { Judge } from '../../policy/judge.ts';
import type { TerminalStanding } from '../../policy/knowledge.ts';
import type { Turn } from '../turn-setup.ts';
import { type AskReply, ask } from './ask.ts';

/** What may happen, and how. */
export interface Permit {
  readonly type: 'permit';
  /** The tool's, or the one that the user put in its place. */
  readonly action: Action;
  readonly edited: boolean;
  readonly sandboxed: boolean;
  /** Whether the user is asked to repeat it outside when the sandbox made it fail. */
  readonly askAgain: boolean;
  /** What may be typed into a terminal that it opens. */
  readonly standing: TerminalStanding;
}

export interface CallRefusal {
  readonly type: 'refusal';
  readonly action: Action;
  /** The call's output. */
  readonly reason: string;
}

/** An answer that is edited over and over is no answer. */
const MOST_EDITS = 10;

/** Decides about an action, asking the user where the policy wants that. An edited action is decided upon anew. */
export async function permit(turn: Turn, call: ToolCall, planned: Action, judge: Judge): Promise<Permit | CallRefusal> {
  let action = planned;
  for (let edits = 0; edits <= MOST_EDITS; edits++) {
    const decision = judge.decide(action);
    const edited = edits > 0;
    if (decision.type === 'deny') return { type: 'refusal', action, reason: decision.reason };
    if (decision.type === 'allow') return toPermit(action, edited, decision, undefined);
    const reply = await ask(turn, { call, action, decision, judge });
    if (reply.type === 'abort') turn.interrupt();
    turn.signal.throwIfAborted();
    if (reply.type === 'approve') {
      judge.remember(reply.scope, action);
      return toPermit(action, edited, decision, reply.scope);
    }
    if (reply.type !== 'edit') return { type: 'refusal', action, reason: refusalText(action, decision, reply) };
    action = reply.action;
  }
  return { type: 'refusal', action, reason: rejected(action) };
}

function toPermit(
  action: Action,
  edited: boolean,
  { sandboxed, askAgain = false }: Exclude<Decision, { type: 'deny' }>,
  scope: ApprovalScope | undefined,
): Permit {
  // What the policy or a rule lets run unasked, it lets run whatever is typed into it.
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
