import { isRecord } from '../base/json-schema.ts';
import type { ApprovalPolicy } from '../base/policy.ts';
import type { Settings } from './read-settings.ts';

export interface Approval {
  readonly policy: ApprovalPolicy;
  /** What the user should know about a policy that is not carried out to the letter. */
  readonly warnings: readonly string[];
}

/** `approval_policy`, with every value that Codex has had. */
export function readApproval(settings: Settings): Approval {
  const found = settings.found('approval_policy');
  // A table (granular) says for each kind of question whether it is asked or refused.
  if (found !== undefined && isRecord(found.value)) return asksLess('A table as approval_policy', found.layer.origin);
  const policy = settings.oneOf(['never', 'on-request', 'on-failure', 'untrusted'], 'approval_policy') ?? 'on-request';
  if (policy === 'untrusted') return asksLess('approval_policy = "untrusted"', found?.layer.origin ?? '');
  return { policy: policy === 'never' ? 'never' : 'on-request', warnings: [] };
}

function asksLess(what: string, origin: string): Approval {
  const warning = `${what} (${origin}) is not carried out in full yet: it works as "on-request", which asks less often.`;
  return { policy: 'on-request', warnings: [warning] };
}
