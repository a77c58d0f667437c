import type { TerminalInputAction } from '../base/action.ts';
import type { Decision, Policy } from '../base/policy.ts';
import type { TerminalStanding } from './knowledge.ts';
import { type Question, refusalOf } from './question.ts';

/** Ctrl-C: a program may be sent it whenever it may run. */
const INTERRUPT = '\x03';

/** Whether the model may type into a terminal. Looking at one, and interrupting it, is part of having opened it. */
export function decideTerminalInput(
  { chars }: TerminalInputAction,
  { approval }: Policy,
  standing: TerminalStanding,
): Decision {
  if (standing !== 'asked' || chars.replaceAll(INTERRUPT, '') === '')
    return { type: 'allow', sandboxed: standing === 'inside' };
  const reason = refusalOf([QUESTION], approval);
  if (reason !== undefined) return { type: 'deny', reason };
  return { type: 'ask', reason: QUESTION.reason, sandboxed: false, scopes: [{ type: 'once' }, { type: 'terminal' }] };
}

const QUESTION: Question = {
  about: 'sandbox',
  reason: 'The model wants to type into a terminal that runs outside the sandbox.',
  underNever:
    'rejected: this terminal runs outside the sandbox, and nobody can be asked whether you may type into it. Start the command anew with all it needs.',
};
