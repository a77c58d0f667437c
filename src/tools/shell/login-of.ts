import { ToolFailure } from '../../base/errors.ts';
import type { View } from '../../base/tool.ts';

/**
 * Reports whether a command gets the environment of a login shell. Throws `ToolFailure` when the model asks for one that
 * the configuration does not allow.
 */
export function loginOf(asked: boolean | undefined, { loginShell = true }: Pick<View, 'loginShell'>): boolean {
  if (asked && !loginShell)
    throw new ToolFailure('parse', 'login shell is disabled by config; omit `login` or set it to false.');
  return asked ?? loginShell;
}
