import type { OwnAction } from '../base/action.ts';
import type { Decision, Policy } from '../base/policy.ts';
import { type Question, refusalOf } from './question.ts';

/**
 * Decides whether a tool of the embedding program may be called. That program is responsible for its tools, and says
 * itself when to ask.
 */
export function decideOwn({ tool, approval: reason }: OwnAction, { approval }: Policy): Decision {
  if (reason === undefined) return { type: 'allow', sandboxed: true };
  const question: Question = { about: 'own', reason, underNever: underNever(tool) };
  const refusal = refusalOf([question], approval);
  if (refusal) return refusal;
  return { type: 'ask', reason, sandboxed: true, scopes: [{ type: 'once' }, { type: 'tool' }] };
}

function underNever(tool: string): string {
  return `rejected: ${tool} requires approval, but approval policy is never`;
}
