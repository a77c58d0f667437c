import type { Action } from '../base/action.ts';
import type { ApprovalScope, Decision, Policy, PrefixLasts, PrefixRule } from '../base/policy.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { decide } from './decide.ts';
import { describeScope, type ScopeContext } from './describe-scope.ts';
import { examineCommand } from './examine-command.ts';
import { examinePatch } from './examine-patch.ts';
import { isMutating } from './is-mutating.ts';
import type { Knowledge, TerminalStanding } from './knowledge.ts';

/** Judge of actions under one policy. It remembers the user's answers. */
export interface Judge {
  decide(action: Action): Decision;
  /** Reports whether an action may change anything outside the thread. */
  isMutating(action: Action): boolean;
  /** Returns a sentence about the effect of an approval with this scope. */
  describe(scope: ApprovalScope, action: Action, sandboxed: boolean): string;
  /** Remembers an approval. Throws `UserError` when a rule cannot be written. */
  remember(scope: ApprovalScope, action: Action): void;
  /** Registers a terminal that was opened. */
  opened(terminalId: number, standing: TerminalStanding): void;
  standing(terminalId: number): TerminalStanding | undefined;
  /** Explains why a sandboxed command may have failed, and what to do. Undefined: the sandbox had no part in it. */
  explainDenial(exitCode: number, output: string): string | undefined;
}

/** Answers that hold for the rest of a thread, under every policy of its turns. */
export interface JudgeMemory {
  readonly approvals: Approvals;
  readonly terminals: Map<number, TerminalStanding>;
  /** Rules that the user's answers added. */
  readonly rules: PrefixRule[];
}

export function createJudgeMemory(): JudgeMemory {
  return { approvals: createApprovals(), terminals: new Map(), rules: [] };
}

export interface JudgeOptions {
  /** Policy whose folders are free of links. */
  readonly policy: Policy;
  readonly memory: JudgeMemory;
  readonly project: ScopeContext['project'];
  readonly files: ScopeContext['files'];
  /** Writes a rule to a file. */
  keepRule(rule: PrefixRule, lasts: Exclude<PrefixLasts, 'thread'>): void;
  readonly explainDenial: Judge['explainDenial'];
}

export function createJudge({ project, files, keepRule, explainDenial, memory, ...options }: JudgeOptions): Judge {
  const { approvals, terminals } = memory;
  let policy = withRules(options.policy, memory.rules);
  /** Whether an examined command only reads. Saves splitting its line twice. */
  const readOnly = new WeakMap<Action, boolean>();

  function knowledgeOf(action: Action): Knowledge {
    const approved = approvals.covers(action);
    switch (action.kind) {
      case 'command': {
        const command = examineCommand(action, policy);
        readOnly.set(action, command.readOnly);
        return { approved, command };
      }
      case 'patch':
        return { approved, patch: examinePatch(action, policy.sandbox) };
      case 'terminal_input':
        return { approved, terminal: terminals.get(action.terminalId) ?? 'inside' };
      default:
        return { approved };
    }
  }

  function remember(scope: ApprovalScope, action: Action): void {
    if (scope.type === 'thread' || scope.type === 'tool') approvals.add(action);
    if (scope.type === 'terminal' && action.kind === 'terminal_input') terminals.set(action.terminalId, 'approved');
    if (scope.type !== 'prefix') return;
    const rule: PrefixRule = { pattern: scope.prefix, decision: 'allow' };
    if (scope.lasts !== 'thread') keepRule(rule, scope.lasts);
    memory.rules.push(rule);
    policy = withRules(policy, [rule]);
  }

  return {
    decide: (action) => decide(action, policy, knowledgeOf(action)),
    isMutating: (action) => !(readOnly.get(action) ?? !isMutating(action)),
    describe: (scope, action, sandboxed) => describeScope(scope, { action, sandboxed, project, files }),
    remember,
    opened: (terminalId, standing) => void terminals.set(terminalId, standing),
    standing: (terminalId) => terminals.get(terminalId),
    explainDenial,
  };
}

function withRules(policy: Policy, rules: readonly PrefixRule[]): Policy {
  return rules.length === 0 ? policy : { ...policy, rules: [...(policy.rules ?? []), ...rules] };
}
