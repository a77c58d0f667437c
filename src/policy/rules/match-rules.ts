import type { Policy, PrefixRule, RuleDecision } from '../../base/policy.ts';
import { matchesPrefix } from '../../shell/prefix-match.ts';

type Rules = Pick<Policy, 'rules' | 'executables'>;

/** A rule that a command matches. */
export interface RuleMatch {
  readonly rule: PrefixRule;
  /** Words of the command that the rule covers. */
  readonly words: readonly string[];
  /** Path of the program, if it differs from the name in the rule. */
  readonly program?: string;
}

/** Returns the rules that a simple command matches, in their order. */
export function matchRules(command: readonly string[], { rules = [], executables = {} }: Rules): RuleMatch[] {
  const [path = '', ...rest] = command;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const places = name !== path && Object.hasOwn(executables, name) ? executables[name] : undefined;
  return rules.flatMap((rule) => {
    const { length } = rule.pattern;
    // A program of that name may be any program. That is enough to forbid it, but not to allow it.
    const allows = rule.decision === 'allow';
    if (matchesPrefix(command, rule.pattern)) {
      if (allows && places && !places.includes(path) && !namesPath(rule, path)) return [];
      return [{ rule, words: command.slice(0, length) }];
    }
    if (name === path || (allows && !places?.includes(path))) return [];
    const named = [name, ...rest];
    return matchesPrefix(named, rule.pattern) ? [{ rule, words: named.slice(0, length), program: path }] : [];
  });
}

/** Reports whether the rule itself has the program's path. */
function namesPath({ pattern: [first] }: PrefixRule, path: string): boolean {
  return typeof first === 'string' ? first === path : first?.includes(path) === true;
}

const STRICTNESS: Readonly<Record<RuleDecision, number>> = { allow: 0, prompt: 1, forbidden: 2 };

/** Returns the strictest of some rules, the first of equals. */
export function strictest(rules: readonly PrefixRule[]): PrefixRule | undefined {
  return rules.reduce<PrefixRule | undefined>(
    (found, rule) => (found && STRICTNESS[found.decision] >= STRICTNESS[rule.decision] ? found : rule),
    undefined,
  );
}
