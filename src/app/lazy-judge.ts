import type { Policy } from '../base/policy.ts';
import type { Config } from '../config/load-config.ts';
import type { ThreadSetup } from '../engine/turn-setup.ts';
import { loadLate } from './load-late.ts';
import type { LoadedRules } from './load-rules.ts';
import type { ThreadJudgeOptions } from './thread-judge.ts';

const NO_RULES: LoadedRules = { networkRules: [], notices: [] };

/**
 * The rules that are configured, and the policy with the hosts that they allow. A file with a mistake is a `UserError`
 * before the thread begins; where there are no files, nothing is loaded for them.
 */
export async function findRules(config: Config): Promise<{ rules: LoadedRules; policy: Policy }> {
  const { policy } = config;
  if (config.rules.sources.length === 0 && !config.rules.hasProjects) return { rules: NO_RULES, policy };
  const { loadRules, withNetworkRules } = await loadLate();
  const rules = loadRules(config);
  return { rules, policy: { ...policy, sandbox: withNetworkRules(policy.sandbox, rules.networkRules) } };
}

export interface LazyJudgeOptions extends ThreadJudgeOptions {
  /** Told what of the rules was ignored. */
  onNotice(notice: string): void;
}

/**
 * A judge that is loaded with the first action: reading command lines takes a parser, and the first request need not wait
 * for that.
 */
export function lazyJudge({ onNotice, ...options }: LazyJudgeOptions): ThreadSetup['judge'] {
  let judge: ReturnType<ThreadSetup['judge']> | undefined;
  return () => {
    judge ??= loadLate().then(({ createThreadJudge }) => {
      options.rules.notices.forEach(onNotice);
      return createThreadJudge(options);
    });
    return judge;
  };
}
