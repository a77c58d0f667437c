import type { ReadAction } from '../base/action.ts';
import { isDenied } from '../base/guarded-paths.ts';
import type { Decision, Policy } from '../base/policy.ts';

/**
 * Decides whether a file may be read for the model. As for commands, every file may be read that `deny_read` does not
 * name.
 */
export function decideRead({ path }: ReadAction, { sandbox }: Policy): Decision {
  if (!isDenied(path, sandbox)) return { type: 'allow', sandboxed: true };
  return { type: 'deny', reason: `${path} may not be read (deny_read)`, cause: 'deny_read' };
}
