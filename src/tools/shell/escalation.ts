import type { CommandAction } from '../../base/action.ts';
import { ToolFailure } from '../../base/errors.ts';

/** Parameters for leaving the sandbox, under their older and their newer name. */
export const ESCALATION_PARAMETERS = {
  with_escalated_permissions: { type: 'boolean' },
  sandbox_permissions: { type: 'string', enum: ['use_default', 'require_escalated'] },
  justification: { type: 'string' },
  prefix_rule: { type: 'array', items: { type: 'string' } },
} as const;

interface EscalationArguments {
  readonly with_escalated_permissions?: boolean;
  readonly sandbox_permissions?: string;
  readonly justification?: string;
  readonly prefix_rule?: readonly string[];
}

/** Returns the wish of a call to leave the sandbox. Throws `ToolFailure` for a justification without such a wish. */
export function escalationOf(
  args: EscalationArguments,
  parameter: 'with_escalated_permissions: true' | 'sandbox_permissions: "require_escalated"',
): Pick<CommandAction, 'escalate' | 'justification' | 'prefixRule'> {
  const escalate = args.with_escalated_permissions === true || args.sandbox_permissions === 'require_escalated';
  // Some models send every parameter.
  const justification = args.justification === '' ? undefined : args.justification;
  if (justification !== undefined && !escalate) {
    throw new ToolFailure(
      'parse',
      `\`justification\` was given without \`${parameter}\`. Set both to ask for running outside the sandbox, or leave \`justification\` out.`,
    );
  }
  return {
    escalate,
    ...(justification === undefined ? {} : { justification }),
    ...(args.prefix_rule === undefined ? {} : { prefixRule: args.prefix_rule }),
  };
}
