import type { CommandAction } from '../base/action.ts';
import type { ApprovalScope, Decision, Policy, PrefixLasts, PrefixRule } from '../base/policy.ts';
import { quoteArgv } from '../shell/quote.ts';
import type { CommandKnowledge } from './knowledge.ts';
import { asksAfterDenial, type Question, reasonOf, refusalOf } from './question.ts';

/** Decides whether a command may run, and where. */
export function decideCommand(action: CommandAction, policy: Policy, known: CommandKnowledge): Decision {
  if (known.rule?.decision === 'forbidden')
    return { type: 'deny', reason: forbidden(action, known.rule), cause: 'rule' };
  const { approval, sandbox } = policy;
  const confined = sandbox.mode !== 'danger-full-access';
  // Outside the sandbox, commands could read the files of `deny_read`.
  const mayLeave = !sandbox.denyRead?.length;
  const outside = action.escalate || known.allowed;
  if (confined && action.escalate && !known.allowed && !mayLeave)
    return { type: 'deny', reason: ESCALATION_UNDER_DENY_READ, cause: 'deny_read' };

  const sandboxed = confined && !(outside && mayLeave);
  const again = sandboxed && mayLeave && asksAfterDenial(approval) ? { askAgain: true } : {};
  const questions = questionsAbout(action, policy, known);
  if (questions.length === 0) return { type: 'allow', sandboxed, ...again };
  const refusal = refusalOf(questions, approval);
  if (refusal) return refusal;
  const scopes = scopesFor(action, { questions, sandboxed, prefix: mayLeave ? known.prefix : undefined });
  return { type: 'ask', reason: reasonOf(questions), sandboxed, ...again, scopes };
}

function questionsAbout(
  action: CommandAction,
  { approval, sandbox }: Policy,
  { danger, rule, allowed, readOnly }: CommandKnowledge,
): Question[] {
  const questions: Question[] = [];
  if (danger !== undefined) questions.push(dangerQuestion(action, danger));
  if (rule) questions.push(ruleQuestion(action, rule));
  if (allowed) return questions;
  if (action.escalate && sandbox.mode !== 'danger-full-access') questions.push(sandboxQuestion(action));
  else if (approval === 'untrusted' && !readOnly && questions.length === 0) questions.push(UNTRUSTED);
  return questions;
}

interface ScopeFacts {
  readonly questions: readonly Question[];
  readonly sandboxed: boolean;
  readonly prefix: readonly string[] | undefined;
}

function scopesFor(action: CommandAction, { questions, sandboxed, prefix }: ScopeFacts): ApprovalScope[] {
  // A command that is dangerous, or has a rule against it, cannot be allowed by another rule.
  const coverable = questions.every(({ about }) => about === 'sandbox' || about === 'untrusted');
  const lasting: readonly PrefixLasts[] = coverable && prefix ? ['thread', 'project', 'always'] : [];
  return [
    { type: 'once' },
    ...(sandboxed || action.timeoutMs !== undefined ? [] : [{ type: 'terminal' } as const]),
    { type: 'thread' },
    ...lasting.map((lasts) => ({ type: 'prefix', prefix: prefix ?? [], lasts }) as const),
  ];
}

function dangerQuestion({ argv }: CommandAction, danger: string): Question {
  const what = danger.startsWith('rm -f ') ? 'rm -f style commands are' : `${danger}, which is`;
  return {
    about: 'danger',
    reason: `This could destroy something: ${danger}.`,
    underNever: `\`${quoteArgv(argv)}\` rejected: ${what} not permitted. Use a safer approach`,
  };
}

function ruleQuestion({ argv }: CommandAction, { justification, pattern }: PrefixRule): Question {
  const why = justification ?? `commands that begin with ${patternText(pattern)} are asked for.`;
  return {
    about: 'rule',
    reason: `A rule says to ask: ${why}`,
    underNever: `approval required by policy, but AskForApproval is set to Never. \`${quoteArgv(argv)}\` did not run: find a way without it, or tell the user to run it.`,
  };
}

function sandboxQuestion({ justification }: CommandAction): Question {
  return {
    about: 'sandbox',
    reason: justification ?? 'The model asks to run this outside the sandbox.',
    underNever: ESCALATION_UNDER_NEVER,
  };
}

function forbidden({ argv }: CommandAction, { justification, pattern }: PrefixRule): string {
  const why = justification ?? `policy forbids commands starting with ${patternText(pattern)}`;
  return `\`${quoteArgv(argv)}\` rejected: ${why}`;
}

function patternText(pattern: PrefixRule['pattern']): string {
  return `\`${pattern.map((word) => (typeof word === 'string' ? word : word.join('|'))).join(' ')}\``;
}

const UNTRUSTED: Question = {
  about: 'untrusted',
  reason: 'This command is not known to only read, and the approval policy is "untrusted".',
  underNever: '',
};

const ESCALATION_UNDER_NEVER =
  'approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never';

const ESCALATION_UNDER_DENY_READ =
  'rejected: no command may leave the sandbox, because there are files that may not be read (deny_read). Do it inside the sandbox, or tell the user to run it.';
