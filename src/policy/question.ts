import type { ApprovalPolicy, Decision, RefusalCause } from '../base/policy.ts';

/**
 * Reason to ask the user. `sandbox`: the action leaves the sandbox. `rule`: a rule says so. `danger`: something could
 * be lost. `mcp`: the effect of a server's tool is unknown. `own`: a tool of the embedding program says so.
 * `untrusted`: the policy asks about everything.
 */
export interface Question {
  readonly about: 'sandbox' | 'rule' | 'danger' | 'mcp' | 'own' | 'untrusted';
  /** Text for the user. */
  readonly reason: string;
  /** Text for the model, if the policy never asks. */
  readonly underNever: string;
}

/**
 * Returns the refusal for the first question that the policy answers with no. Undefined: the user may be asked.
 */
export function refusalOf(questions: readonly Question[], approval: ApprovalPolicy): Decision | undefined {
  if (typeof approval === 'string' && approval !== 'never') return undefined;
  const silenced = approval === 'never' ? questions[0] : questions.find(({ about }) => !approval[SWITCHES[about]]);
  if (silenced === undefined) return undefined;
  const unasked = `rejected by the approval policy, which does not ask about this: ${silenced.reason}`;
  return { type: 'deny', reason: approval === 'never' ? silenced.underNever : unasked, cause: CAUSES[silenced.about] };
}

const CAUSES: Readonly<Record<Question['about'], RefusalCause>> = {
  sandbox: 'sandbox',
  rule: 'rule',
  danger: 'danger',
  mcp: 'other',
  own: 'other',
  untrusted: 'other',
};

/** Switch of a granular policy for each kind of question. */
const SWITCHES = {
  sandbox: 'sandbox',
  danger: 'sandbox',
  untrusted: 'sandbox',
  rule: 'rules',
  mcp: 'mcp',
  own: 'mcp',
} as const;

/** Returns all reasons as one text for the user. */
export function reasonOf(questions: readonly Question[]): string {
  return questions.map(({ reason }) => reason).join(' ');
}

/** Reports whether the policy asks to run a command again outside the sandbox, after the sandbox made it fail. */
export function asksAfterDenial(approval: ApprovalPolicy): boolean {
  if (typeof approval === 'object') return approval.sandbox;
  return approval === 'untrusted' || approval === 'on-failure';
}
