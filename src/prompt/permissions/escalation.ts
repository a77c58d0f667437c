import type { ToolSpec } from '../../base/tool.ts';

/** Parameters with which a call asks to leave the sandbox. */
export interface Escalation {
  /** Parameter and its value, as the model writes them. */
  readonly asks: string;
  readonly parameter: string;
  /** Whether a call may name the first words of commands that the user could allow from then on. */
  readonly prefixRule: boolean;
}

/** Returns the parameters with which the offered tools ask to leave the sandbox. Null: they have none. */
export function findEscalation(offered: readonly ToolSpec[]): Escalation | null {
  for (const spec of offered) {
    const has = (name: string) => spec.type === 'function' && name in (spec.parameters.properties ?? {});
    const prefixRule = has('prefix_rule');
    if (has('sandbox_permissions'))
      return {
        asks: '`sandbox_permissions` set to `"require_escalated"`',
        parameter: '`sandbox_permissions`',
        prefixRule,
      };
    if (has('with_escalated_permissions'))
      return {
        asks: '`with_escalated_permissions` set to `true`',
        parameter: '`with_escalated_permissions`',
        prefixRule,
      };
  }
  return null;
}
