import type { ApprovalPolicy } from '../base/policy.ts';

/**
 * Why the user would be asked. `sandbox`: to leave it. `rule`: one says so. `danger`: something could be lost.
 * `mcp`: what a tool of a server does is not known. `own`: a tool of the embedding program says so. `untrusted`: the
 * policy asks about everything.
 */
export interface Question {
  readonly about: 'sandbox' | 'rule' | 'danger' | 'mcp' | 'own' | 'untrusted';
  /** For the user. */
  readonly reason: string;
  /** For the model, where the policy is to ask nothing. */
  readonly underNever: string;
}

/** The first question that the policy answers with no, as a text for the model; undefined when the user may be asked. */
export function refusalOf(questions: readonly Question[], approval: ApprovalPolicy): string | undefined {
  if (approval === 'never') return questions[0]?.underNever;
  if (typeof approval === 'string') return undefined;
  const silenced = questions.find(({ about }) => !approval[SWITCHES[about]]);
  return silenced && `rejected by the approval policy, which does not ask about this: ${silenced.reason}`;
}

/** Which switch of a granular policy stands for which question. */
const SWITCHES = {
  sandbox: 'sandbox',
  danger: 'sandbox',
  untrusted: 'sandbox',
  rule: 'rules',
  mcp: 'mcp',
  own: 'mcp',
} as const;

/** All reasons as one text for the user. */
export function reasonOf(questions: readonly Question[]): string {
  return questions.map(({ reason }) => reason).join(' ');
}

/** Whether the policy asks to repeat outside what the sandbox made fail. */
export function asksAfterDenial(approval: ApprovalPolicy): boolean {
  if (typeof approval === 'object') return approval.sandbox;
  return approval === 'untrusted' || approval === 'on-failure';
}
