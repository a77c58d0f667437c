import type { RuleDecision } from '../../base/policy.ts';
import { type Config, type LoadOptions, loadConfig } from '../../config/load-config.ts';
import { matchRules, strictest } from '../../policy/rules/match-rules.ts';
import { parseRules } from '../../policy/rules/parse-rules.ts';
import { splitCommands } from '../../shell/split-commands.ts';
import { readRulesFile } from '../../store/files/rules-file.ts';
import { loadRules } from '../thread/load-rules.ts';
import type { LoadedRules } from '../thread/loaded-rules.ts';

/** Rules that match a command, with the keys that `codex execpolicy check` prints. */
export interface CheckedCommand {
  readonly matchedRules: readonly { readonly prefixRuleMatch: PrefixRuleMatch }[];
  /** The strictest decision. Absent when no rule matches. */
  readonly decision?: RuleDecision;
}

export interface PrefixRuleMatch {
  readonly matchedPrefix: readonly string[];
  readonly decision: RuleDecision;
  readonly resolvedProgram?: string;
  readonly justification?: string;
}

export interface CheckOptions extends Pick<LoadOptions, 'cwd' | 'origins'> {
  /** Paths of files with rules. When empty, the rules that a thread in this folder would have are used. */
  readonly files: readonly string[];
}

export interface CheckResult extends CheckedCommand {
  /** Sentences about settings and rules that were ignored. */
  readonly notices: readonly string[];
}

/** Matches a command against rules. Throws `UserError` for rules that make no sense. */
export function checkCommand(argv: readonly string[], { files, ...options }: CheckOptions): CheckResult {
  const rules = files.length > 0 ? readFiles(files) : configuredRules(loadConfig(options));
  const matches = (splitCommands(argv) ?? [argv]).flatMap((command) => matchRules(command, rules));
  const decision = strictest(matches.map(({ rule }) => rule))?.decision;
  return {
    matchedRules: matches.map(({ rule, words, program }) => ({
      prefixRuleMatch: {
        matchedPrefix: words,
        decision: rule.decision,
        ...(program === undefined ? {} : { resolvedProgram: program }),
        ...(rule.justification === undefined ? {} : { justification: rule.justification }),
      },
    })),
    ...(decision === undefined ? {} : { decision }),
    notices: rules.notices,
  };
}

function configuredRules(config: Config): LoadedRules {
  const rules = loadRules(config);
  return { ...rules, notices: [...config.warnings, ...rules.notices] };
}

function readFiles(paths: readonly string[]): LoadedRules {
  const files = paths.map((path) => parseRules(readRulesFile(path).text, path));
  return {
    rules: files.flatMap(({ prefixRules }) => prefixRules),
    executables: Object.assign({}, ...files.map(({ executables }) => executables)),
    networkRules: [],
    notices: [],
  };
}
