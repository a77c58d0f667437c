import type { TerminalInputAction } from '../base/action.ts';
import type { Decision, Policy } from '../base/policy.ts';
import type { TerminalStanding } from './knowledge.ts';
import { type Question, refusalOf } from './question.ts';

/** Ctrl-C. A program that may run may also be interrupted. */
const INTERRUPT = '\x03';

/**
 * Decides whether the model may type into a terminal. The approval to open a terminal covers reading and interrupting
 * it.
 */
export function decideTerminalInput(
  { chars }: TerminalInputAction,
  { approval }: Policy,
  standing: TerminalStanding,
): Decision {
  if (standing !== 'asked' || chars.replaceAll(INTERRUPT, '') === '')
    return { type: 'allow', sandboxed: standing === 'inside' };
  const refusal = refusalOf([QUESTION], approval);
  if (refusal) return refusal;
  return { type: 'ask', reason: QUESTION.reason, sandboxed: false, scopes: [{ type: 'once' }, { type: 'terminal' }] };
}

const QUESTION: Question = {
  about: 'sandbox',
  reason: 'The model wants to type into a terminal that runs outside the sandbox.',
  underNever:
    'rejected: this terminal runs outside the sandbox, and nobody can be asked whether you may type into it. Start the command anew with all it needs.',
};
