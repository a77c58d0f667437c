import { resolve } from 'node:path';
import { UserError } from '../../base/errors.ts';
import type { Policy, SandboxMode } from '../../base/policy.ts';
import type { TurnOverrides } from '../../base/turn-overrides.ts';
import type { Config } from '../../config/load-config.ts';
import { type LoadedRules, NO_RULES } from './loaded-rules.ts';

const APPROVALS: readonly unknown[] = ['untrusted', 'on-failure', 'on-request', 'never'];
const SANDBOX_MODES: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access'];

/** Returns the configured policy with the overrides of a turn applied. Throws `UserError` for a value that does not exist. */
export function policyFor({ policy, cwd }: Config, overrides: TurnOverrides): Policy {
  const { approvalPolicy: approval = policy.approval, sandboxMode: mode = policy.sandbox.mode } = overrides;
  const { networkAccess: network = policy.sandbox.network, writableRoots: added = [] } = overrides;
  if (typeof approval === 'string' && !APPROVALS.includes(approval))
    throw notOne('approvalPolicy', approval, APPROVALS);
  if (!SANDBOX_MODES.includes(mode)) throw notOne('sandboxMode', mode, SANDBOX_MODES);
  const roots = [...policy.sandbox.writableRoots, ...added.map((root) => resolve(cwd, root))];
  return { ...policy, approval, sandbox: { ...policy.sandbox, mode, network, writableRoots: [...new Set(roots)] } };
}

function notOne(name: string, value: string, known: readonly unknown[]): UserError {
  return new UserError(
    'invalid_input',
    `${name} is ${JSON.stringify(value)}, which is not one of ${known.join(', ')}.`,
  );
}

/** Returns the policy with the hosts that rules allow or forbid. */
export async function withRules(policy: Policy, rules: LoadedRules): Promise<Policy> {
  if (rules === NO_RULES) return policy;
  const { withNetworkRules } = await import('./load-rules.ts');
  return { ...policy, sandbox: withNetworkRules(policy.sandbox, rules.networkRules) };
}
