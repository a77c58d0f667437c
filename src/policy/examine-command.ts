import type { CommandAction } from '../base/action.ts';
import type { Policy, PrefixRule } from '../base/policy.ts';
import { visibleLine } from '../base/visible-text.ts';
import { findDanger } from '../shell/find-danger.ts';
import { isReadOnly } from '../shell/is-read-only.ts';
import { isOfferedPrefix } from '../shell/offered-prefix.ts';
import { matchesPrefix } from '../shell/prefix-match.ts';
import { splitCommands } from '../shell/split-commands.ts';
import type { CommandKnowledge } from './knowledge.ts';
import { hiddenCommands } from './rules/hidden-commands.ts';
import { matchRules, strictest } from './rules/match-rules.ts';

/**
 * Examines a command line: its commands, the rules that match them, whether they only read, whether they are dangerous.
 */
export function examineCommand({ argv, prefixRule }: CommandAction, policy: Policy): CommandKnowledge {
  const parts = splitCommands(argv);
  // A line that cannot be split is one command.
  const commands = (parts ?? [argv]).map((words) => ({ words, rule: ruleFor(words, policy, parts === undefined) }));
  const allowed = commands.length > 0 && commands.every(({ rule }) => rule?.decision === 'allow');
  const rule = strictest(commands.flatMap((command) => command.rule ?? []));
  const readOnly = parts?.length ? parts.every(isReadOnly) : false;
  // A command that only reads is never dangerous, so the search for danger is skipped.
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

/** Returns the programs of a command line: the shells that read it, and the program of each command. */
export function programsOf(argv: readonly string[]): readonly string[] {
  const shells: string[] = [];
  const commands = splitCommands(argv, (shell) => shells.push(shell)) ?? [argv];
  return [...new Set([...shells, ...commands.map(([program = '']) => program)])];
}

interface RuledCommand {
  readonly words: readonly string[];
  readonly rule: PrefixRule | undefined;
}

/** Returns the strictest rule that matches a command, or a command that it might start. */
function ruleFor(words: readonly string[], policy: Policy, isScript: boolean): PrefixRule | undefined {
  const strict = (policy.rules ?? []).filter(({ decision }) => decision !== 'allow');
  const hidden = strict.length === 0 ? [] : hiddenCommands(words, isScript);
  const found = [matchRules(words, policy), ...hidden.map((command) => matchRules(command, { rules: strict }))];
  return strictest(found.flat().map(({ rule }) => rule));
}

/**
 * Returns the danger of the commands that no rule matches. If no rule matches at all, the whole line is examined, since
 * a text that is piped into a shell is a script.
 */
function dangerOf(argv: readonly string[], commands: readonly RuledCommand[]): string | undefined {
  const unruled = commands.filter(({ rule }) => rule === undefined);
  if (unruled.length === commands.length) return findDanger(argv);
  for (const { words } of unruled) {
    const danger = findDanger(words);
    if (danger !== undefined) return danger;
  }
  return undefined;
}

/**
 * Returns the prefix that the model proposes, if it covers all commands to ask about. Otherwise a single command to ask
 * about is the prefix.
 */
function offeredPrefix(
  proposed: readonly string[] | undefined,
  commands: readonly (readonly string[])[],
): readonly string[] | undefined {
  const [first, ...others] = commands;
  const single = first && others.length === 0 ? first : undefined;
  const covers = (prefix: readonly string[]) => commands.every((words) => matchesPrefix(words, prefix));
  return [proposed, single].find((prefix) => prefix && isOfferablePrefix(prefix) && covers(prefix));
}

/** Reports whether a prefix fits on one line of a rules file, hides no character and does not allow everything. */
function isOfferablePrefix(prefix: readonly string[]): boolean {
  return (
    prefix.length > 0 && isOfferedPrefix(prefix) && prefix.every((word) => word !== '' && visibleLine(word) === word)
  );
}
