import type { CommandAction } from '../base/action.ts';
import type { Policy, PrefixRule } from '../base/policy.ts';
import { findDanger } from '../shell/find-danger.ts';
import { isReadOnly } from '../shell/is-read-only.ts';
import { isBannedPrefix, matchesPrefix } from '../shell/prefix-match.ts';
import { splitCommands } from '../shell/split-commands.ts';
import type { CommandKnowledge } from './knowledge.ts';
import { hiddenCommands } from './rules/hidden-commands.ts';
import { matchRules, strictest } from './rules/match-rules.ts';

/** Reads a command line: what it consists of, which rules speak of it, whether it only reads, whether it is dangerous. */
export function examineCommand({ argv, prefixRule }: CommandAction, policy: Policy): CommandKnowledge {
  const parts = splitCommands(argv);
  // What cannot be taken apart is one command.
  const commands = (parts ?? [argv]).map((words) => ({ words, rule: ruleFor(words, policy, parts === undefined) }));
  const allowed = commands.length > 0 && commands.every(({ rule }) => rule?.decision === 'allow');
  const rule = strictest(commands.flatMap((command) => command.rule ?? []));
  const readOnly = parts?.length ? parts.every(isReadOnly) : false;
  // Nothing that only reads is dangerous, so that need not be looked for.
  const danger = readOnly ? undefined : dangerOf(argv, commands);
  const asked = commands.filter((command) => command.rule?.decision !== 'allow').map(({ words }) => words);
  const prefix = parts && danger === undefined ? offeredPrefix(prefixRule, asked) : undefined;
  return {
    readOnly,
    allowed,
    ...(danger === undefined ? {} : { danger }),
    ...(rule && rule.decision !== 'allow' ? { rule } : {}),
    ...(prefix ? { prefix } : {}),
  };
}

interface RuledCommand {
  readonly words: readonly string[];
  readonly rule: PrefixRule | undefined;
}

/** The strictest rule about a command, or about what it might start. */
function ruleFor(words: readonly string[], policy: Policy, isScript: boolean): PrefixRule | undefined {
  const strict = (policy.rules ?? []).filter(({ decision }) => decision !== 'allow');
  const hidden = strict.length === 0 ? [] : hiddenCommands(words, isScript);
  const found = [matchRules(words, policy), ...hidden.map((command) => matchRules(command, { rules: strict }))];
  return strictest(found.flat().map(({ rule }) => rule));
}

/** Of what no rule speaks of. Without rules the whole is looked at: what is piped into a shell is a script. */
function dangerOf(argv: readonly string[], commands: readonly RuledCommand[]): string | undefined {
  const unruled = commands.filter(({ rule }) => rule === undefined);
  if (unruled.length === commands.length) return findDanger(argv);
  for (const { words } of unruled) {
    const danger = findDanger(words);
    if (danger !== undefined) return danger;
  }
  return undefined;
}

/** What the model proposes, if it covers all that is asked for; else the one command that is. */
function offeredPrefix(
  proposed: readonly string[] | undefined,
  commands: readonly (readonly string[])[],
): readonly string[] | undefined {
  const [first, ...others] = commands;
  const single = first && others.length === 0 ? first : undefined;
  const covers = (prefix: readonly string[]) => commands.every((words) => matchesPrefix(words, prefix));
  return [proposed, single].find((prefix) => prefix && isFitPrefix(prefix) && covers(prefix));
}

/** Of words that a rules file can hold on one line and that do not allow everything. */
function isFitPrefix(prefix: readonly string[]): boolean {
  return (
    prefix.length > 0 && !isBannedPrefix(prefix) && prefix.every((word) => /^[^\p{Cc}\p{Cs}\u2028\u2029]+$/u.test(word))
  );
}
