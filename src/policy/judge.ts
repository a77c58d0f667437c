import type { Action } from '../base/action.ts';
import type { ItemReason } from '../base/event.ts';
import type { ApprovalScope, Decision, Policy, PrefixLasts, PrefixRule } from '../base/policy.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { decide } from './decide.ts';
import { describeScope, type ScopeContext } from './describe-scope.ts';
import { examineCommand, programsOf } from './examine-command.ts';
import { examinePatch } from './examine-patch.ts';
import { isMutating } from './is-mutating.ts';
import type { CommandKnowledge, Knowledge, TerminalStanding } from './knowledge.ts';

/** Judge of actions under one policy. It remembers the user's answers. */
export interface Judge {
  /**
   * Returns why the programs of an action may not leave the sandbox by a rule or a setting. Undefined where they may,
   * or where the action would stay inside anyway. The reason is an argument of `decide`.
   */
  distrust(action: Action): Promise<string | undefined>;
  decide(action: Action, distrust?: string): Decision;
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
  /** Returns the reason that the sandbox probably gave a sandboxed command to fail. */
  suspect(exitCode: number | null, output: string): ItemReason | undefined;
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
  readonly suspect: Judge['suspect'];
  /** Returns the place from which commands could decide what a program is. Without it every program is trusted. */
  findUntrusted?(program: string, login: boolean): Promise<string | undefined>;
  /** Shows a note to the user. */
  tell?(note: string): void;
}

export function createJudge(options: JudgeOptions): Judge {
  const { project, files, keepRule, memory, explainDenial, suspect } = options;
  const { approvals, terminals } = memory;
  let policy = withRules(options.policy, memory.rules);
  /** Whether an examined command only reads. Saves splitting its line twice. */
  const readOnly = new WeakMap<Action, boolean>();

  function knowledgeOf(action: Action, distrust: string | undefined): Knowledge {
    const approved = approvals.covers(action);
    switch (action.kind) {
      case 'command': {
        const command = examineCommand(action, distrust === undefined ? policy : withoutAllowing(policy));
        readOnly.set(action, command.readOnly);
        return { approved, command: distrust === undefined ? command : withoutPrefix(command) };
      }
      case 'patch':
        return { approved, patch: examinePatch(action, policy.sandbox) };
      case 'terminal_input':
        return { approved, terminal: terminals.get(action.terminalId) ?? 'inside' };
      default:
        return { approved, ...(distrust === undefined ? {} : { distrust }) };
    }
  }

  async function distrust(action: Action): Promise<string | undefined> {
    const { findUntrusted } = options;
    if (findUntrusted === undefined || policy.sandbox.mode === 'danger-full-access') return undefined;
    const leaving = programsThatLeave(action, policy);
    for (const program of leaving?.programs ?? []) {
      const place = await findUntrusted(program, leaving?.login ?? false);
      if (place === undefined) continue;
      const why = distrustText(program, place);
      if (leaving?.byRule) options.tell?.(`A rule allows ${why}. The command stays in the sandbox.`);
      return why;
    }
    return undefined;
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
    distrust,
    decide: (action, why) => decide(action, policy, knowledgeOf(action, why)),
    isMutating: (action) => !(readOnly.get(action) ?? !isMutating(action)),
    describe: (scope, action, sandboxed) => describeScope(scope, { action, sandboxed, project, files }),
    remember,
    opened: (terminalId, standing) => void terminals.set(terminalId, standing),
    standing: (terminalId) => terminals.get(terminalId),
    explainDenial,
    suspect,
  };
}

function withRules(policy: Policy, rules: readonly PrefixRule[]): Policy {
  return rules.length === 0 ? policy : { ...policy, rules: [...(policy.rules ?? []), ...rules] };
}

interface LeavingPrograms {
  readonly programs: readonly string[];
  /** Whether they have the variables of the login shell. */
  readonly login: boolean;
  /** Whether a rule lets them leave now. Otherwise the user may be offered such a rule. */
  readonly byRule: boolean;
}

/** Returns the programs of an action that leaves the sandbox unasked, or may do so after an approval. */
function programsThatLeave(action: Action, policy: Policy): LeavingPrograms | undefined {
  // The user chose the command, which runs with the variables of the login shell.
  if (action.kind === 'search') return { programs: action.argv.slice(0, 1), login: true, byRule: false };
  if (action.kind !== 'command') return undefined;
  const hasRules = policy.rules?.some(({ decision }) => decision === 'allow') ?? false;
  if (!hasRules && policy.approval === 'never') return undefined;
  const { allowed, prefix } = examineCommand(action, policy);
  if (!allowed && prefix === undefined) return undefined;
  return { programs: programsOf(action.argv), login: action.login, byRule: allowed };
}

function distrustText(program: string, place: string): string {
  return place === program
    ? `${program}, but commands can change what that path leads to`
    : `${program}, but commands can write to ${place}, where PATH looks for it`;
}

function withoutAllowing(policy: Policy): Policy {
  return { ...policy, rules: (policy.rules ?? []).filter(({ decision }) => decision !== 'allow') };
}

function withoutPrefix({ prefix: _, ...command }: CommandKnowledge): CommandKnowledge {
  return command;
}
