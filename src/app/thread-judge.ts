import type { Policy, SandboxPolicy } from '../base/policy.ts';
import type { Config } from '../config/load-config.ts';
import { realPath } from '../config/real-path.ts';
import { createJudge, type Judge } from '../policy/judge.ts';
import { formatRule } from '../policy/rules/format-rule.ts';
import { appendRule } from '../store/rules-file.ts';
import { rulesPaths } from '../store/rules-paths.ts';
import { explainDenial } from './explain-denial.ts';
import type { LoadedRules } from './load-rules.ts';

export interface ThreadJudgeOptions {
  readonly config: Config;
  /** Without the rules. */
  readonly policy: Policy;
  readonly rules: LoadedRules;
  /** The hosts that commands asked for in vain so far. */
  refusedHosts(): readonly string[];
}

/** Decides about the actions of a thread as the configuration and the rules say. */
export function createThreadJudge({ config, policy, rules, refusedHosts }: ThreadJudgeOptions): Judge {
  const { home, cwd } = config;
  const project = config.project.root ?? cwd;
  const files = rulesPaths(home, project);
  return createJudge({
    project,
    files,
    explainDenial: explainDenial(policy, refusedHosts),
    policy: {
      ...policy,
      sandbox: withoutLinks(policy.sandbox),
      rules: rules.rules ?? [],
      executables: rules.executables ?? {},
    },
    keepRule(rule, lasts) {
      const heading = lasts === 'project' ? `Rules for ${JSON.stringify(project)}` : 'Rules for every folder';
      appendRule(files[lasts], formatRule(rule), heading);
    },
  });
}

function withoutLinks(sandbox: SandboxPolicy): SandboxPolicy {
  const { writableRoots, denyRead } = sandbox;
  return {
    ...sandbox,
    writableRoots: writableRoots.map(realPath),
    ...(denyRead ? { denyRead: denyRead.map(realPath) } : {}),
  };
}
