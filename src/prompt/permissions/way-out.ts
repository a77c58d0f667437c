import type { ToolSpec } from '../../base/tool.ts';

/** How a call can ask to leave the sandbox. Null: the tools that are offered have no way. */
export interface WayOut {
  /** The parameter and its value, as the model writes them. */
  readonly asks: string;
  readonly parameter: string;
  /** Whether it may name the first words of commands that the user could allow from then on. */
  readonly prefixRule: boolean;
}

/** What the parameters of the tools that are offered allow to ask for. */
export function wayOut(offered: readonly ToolSpec[]): WayOut | null {
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
