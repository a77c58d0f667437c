import type { Policy, SandboxPolicy } from '../../base/policy.ts';
import type { Config } from '../../config/load-config.ts';
import { realPath } from '../../config/real-path.ts';
import { sandboxHint } from '../../exec/environment/sandbox-hint.ts';
import { createJudge, createJudgeMemory, type Judge } from '../../policy/judge.ts';
import { formatRule } from '../../policy/rules/format-rule.ts';
import { appendRule } from '../../store/files/rules-file.ts';
import { rulesPaths } from '../../store/files/rules-paths.ts';
import { explainDenial } from './explain-denial.ts';
import type { LoadedRules } from './loaded-rules.ts';
import type { OwnEnvironment } from './own-environment.ts';

export interface ThreadJudgeOptions {
  readonly config: Config;
  readonly rules: LoadedRules;
  readonly environment: Pick<OwnEnvironment, 'refusedHosts' | 'findUntrusted'>;
  readonly onWarning: (message: string) => void;
}

/**
 * Returns the function that makes the judge of each turn. The judges share the answers of the user. The policies are
 * passed without rules.
 */
export function createThreadJudges(options: ThreadJudgeOptions): (policy: Policy) => Judge {
  const { config, rules, environment, onWarning } = options;
  const { home, cwd } = config;
  const project = config.project.root ?? cwd;
  const files = rulesPaths(home, project);
  const memory = createJudgeMemory();
  const reported = { hosts: 0 };
  const told = new Set<string>();
  const tell = (note: string) => {
    if (!told.has(note)) onWarning(note);
    told.add(note);
  };
  return (policy) =>
    createJudge({
      project,
      files,
      memory,
      explainDenial: explainDenial(policy, environment.refusedHosts, reported),
      suspect(exitCode, output) {
        const hint = exitCode === null ? undefined : sandboxHint(exitCode, output, policy.sandbox);
        return hint && { cause: hint.cause, message: hint.denied };
      },
      findUntrusted: (program, login) => environment.findUntrusted(program, login, policy.sandbox),
      tell,
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
  const { writableRoots, denyRead, keyFiles, home } = sandbox;
  return {
    ...sandbox,
    writableRoots: writableRoots.map(realPath),
    ...(denyRead ? { denyRead: denyRead.map(realPath) } : {}),
    ...(keyFiles ? { keyFiles: keyFiles.map(realPath) } : {}),
    ...(home === undefined ? {} : { home: realPath(home) }),
  };
}
