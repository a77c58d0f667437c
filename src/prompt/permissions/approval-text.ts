import type { ApprovalPolicy, GranularApproval, Policy } from '../../base/policy.ts';
import type { Escalation } from './escalation.ts';

export interface ApprovalTextOptions {
  /** Null: the tools have no parameter to leave the sandbox. */
  readonly escalation: Escalation | null;
  /** Whether a user is there to answer. */
  readonly canAsk: boolean;
}

/** Returns sentences about when the user is asked, and how to ask to leave the sandbox. */
export function approvalText(policy: Policy, { escalation, canAsk }: ApprovalTextOptions): string[] {
  const { approval } = policy;
  const noUser = canAsk || approval === 'never' ? [] : [NO_USER];
  return [
    `Approval policy: \`${nameOf(approval)}\`. ${asksText(policy)}`,
    ...leavingText(policy, escalation),
    ...noUser,
  ];
}

const NO_USER = 'At present nobody is there to be asked: every question is answered with no.';

const nameOf = (approval: ApprovalPolicy) => (typeof approval === 'string' ? approval : 'granular');

const isConfined = ({ sandbox }: Policy) => sandbox.mode !== 'danger-full-access';

/** Returns which questions come by themselves. */
function asksText(policy: Policy): string {
  const { approval } = policy;
  if (typeof approval !== 'string') return granularText(approval, policy);
  switch (approval) {
    case 'never':
      return `Nobody can be asked. What would need a yes is refused: ${risksOf(policy)}. Find another way, or say in your answer what the user has to do.`;
    case 'untrusted':
      return `Commands that are known to only read run at once. The user is asked about all others and about every patch: just make the call, and make few whose purpose is plain.${rerunText(policy)}`;
    case 'on-failure':
    case 'on-request':
      return `Commands and patches run at once. The user is asked about ${risksOf(policy)}: just make the call.${rerunText(policy)}`;
  }
}

function granularText(approval: GranularApproval, policy: Policy): string {
  const rows: readonly (readonly [boolean, string])[] = [
    [approval.sandbox, risks(policy)],
    [approval.rules, RULES],
    [approval.mcp, 'calls of tools that need a yes of their own'],
  ];
  const those = (asked: boolean) => rows.flatMap(([is, what]) => (is === asked ? [what] : [])).join('; ');
  return [
    'Commands and patches run at once, with exceptions.',
    ...(those(true) === '' ? [] : [`The user is asked about ${those(true)}: just make the call.`]),
    ...(those(false) === '' ? [] : [`Refused without a question are ${those(false)}.`]),
  ]
    .join(' ')
    .concat(rerunText(policy));
}

const RULES = 'commands that a rule of the user wants to be asked about';

const risksOf = (policy: Policy) => `${risks(policy)}; ${RULES}`;

function risks(policy: Policy): string {
  const elsewhere = isConfined(policy) ? '; patches that the sandbox does not let through' : '';
  const losing = policy.destructivePatches === 'allow' || policy.approval === 'never' ? '' : LOSING;
  return `commands that could destroy something, such as \`rm -rf\`${elsewhere}${losing}`;
}

const LOSING = '; patches that delete or overwrite what git could not bring back';

/**
 * Returns a sentence if the user is asked to run a command again outside the sandbox, after the sandbox made it fail.
 */
function rerunText(policy: Policy): string {
  const { approval, sandbox } = policy;
  const asks = typeof approval === 'string' ? ['untrusted', 'on-failure'].includes(approval) : approval.sandbox;
  if (!asks || !isConfined(policy) || sandbox.denyRead?.length) return '';
  return ' When the sandbox seems to have made a command fail, the user is asked once whether to repeat it outside, and you get the output of that.';
}

function leavingText(policy: Policy, escalation: Escalation | null): string[] {
  if (!isConfined(policy)) return escalation ? [`${escalation.parameter} has no use: there is nothing to leave.`] : [];
  const { approval, sandbox } = policy;
  const inside = 'Do the work inside, or say in your answer what the user has to run.';
  if (sandbox.denyRead?.length)
    return [
      `Nothing may leave the sandbox, since there are files that may not be read. ${refused(escalation)}${inside}`,
    ];
  if (approval === 'never' || (typeof approval === 'object' && !approval.sandbox))
    return [`Nothing can leave the sandbox. ${refused(escalation)}${inside}`];
  if (escalation === null) return [`The tools have no way to ask for a command outside of the sandbox. ${inside}`];
  return [howText(escalation), ...(escalation.prefixRule ? [PREFIX] : []), AFTER_NO];
}

const refused = (escalation: Escalation | null) =>
  escalation === null ? '' : `A call with ${escalation.asks} is refused, so leave that parameter out. `;

const howText = ({ asks }: Escalation) =>
  `To run a command outside of the sandbox, call the tool with ${asks} and a \`justification\`: one sentence for the user on why. The user is asked before it runs; do not ask in a message first. Do so when the task needs what the sandbox denies (the network, another folder, \`git commit\`), or when an important command failed and the sandbox is the likely reason. Whatever can be done inside is done inside.`;

const PREFIX =
  '`prefix_rule` may name the first words of such a command, like `["npm", "install"]`. The user can then allow every command that begins with them, now or from now on. Take words that fit the like of this command and no more. Leave it out for shells, interpreters and whatever would allow anything (`["bash"]`, `["python3"]`, `["sudo"]`), for what deletes, and for scripts with pipes, redirections or substitutions.';

const AFTER_NO = 'A no counts: do not reach the same by another way. Go on without it, or say what is missing.';
