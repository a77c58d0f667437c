import type { SandboxPolicy } from '../../base/policy.ts';
import type { Config } from '../../config/load-config.ts';
import { findOwnCommands } from '../../exec/environment/find-own-commands.ts';
import { type AttachedCommand, runAttached } from '../../exec/environment/run-attached.ts';
import { filterEnvironment, ownCommands } from '../../exec/process/command-environment.ts';
import { describeSandbox } from '../../exec/sandbox/describe-sandbox.ts';
import { findSandbox } from '../../exec/sandbox/find-sandbox.ts';
import { findProvider } from '../../model/providers/index.ts';
import { commandVariables } from '../thread/command-variables.ts';
import { loadRules, withNetworkRules } from '../thread/load-rules.ts';

export interface SandboxRun
  extends Pick<AttachedCommand, 'argv' | 'policy' | 'id' | 'streams' | 'onSignal' | 'onNote' | 'onRefused'> {
  readonly config: Config;
}

/**
 * Runs a command like a command of the agent, with the same sandbox and the same variables. Returns its exit code.
 * Throws `ToolFailure` when the command may not or cannot run.
 */
export function runInSandbox({ config, policy, ...command }: SandboxRun): Promise<number> {
  const provider = findProvider(config.modelProvider, config.modelProviders, {});
  const passed = filterEnvironment(config.env, commandVariables(config, provider));
  const commands = findOwnCommands(import.meta.dirname);
  const env = {
    ...passed,
    ...(commands ? ownCommands(passed, commands) : {}),
    ...(policy.network || policy.mode === 'danger-full-access' ? {} : { CODEX_SANDBOX_NETWORK_DISABLED: '1' }),
  };
  return runAttached({ ...command, policy, env, cwd: config.cwd, home: config.home });
}

/** Returns the sandbox policy of the configuration and the rules, with sentences about rules that were ignored. */
export function configuredSandbox(config: Config): {
  readonly policy: SandboxPolicy;
  readonly notices: readonly string[];
} {
  const { networkRules, notices } = loadRules(config);
  return { policy: withNetworkRules(config.policy.sandbox, networkRules), notices };
}

/** Returns a line that names the sandbox of commands under this policy. */
export async function sandboxLine({ cwd, env }: Config, policy: SandboxPolicy): Promise<string> {
  if (policy.mode === 'danger-full-access') return 'Sandbox: none (danger-full-access).';
  return describeSandbox(await lookForSandbox({ cwd, env }, policy));
}

/** Finds the sandbox that this machine has for a policy. */
export function lookForSandbox({ cwd, env }: Pick<Config, 'cwd' | 'env'>, policy: SandboxPolicy) {
  const untrustedFolders = [cwd, ...policy.writableRoots];
  const { signal } = new AbortController();
  return findSandbox({ path: env.PATH ?? '', untrustedFolders, backend: policy.backend, signal });
}
