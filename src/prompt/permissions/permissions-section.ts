import type { Policy } from '../../base/policy.ts';
import { type Asking, approvalText } from './approval-text.ts';
import { sandboxText } from './sandbox-text.ts';

/** What the model is told about what it may do and when the user is asked. */
export function permissionsSection(policy: Policy, asking: Asking): string {
  const lines = [...sandboxText(policy.sandbox), ...approvalText(policy, asking)];
  return `<permissions instructions>\n${lines.join('\n')}\n</permissions instructions>`;
}
