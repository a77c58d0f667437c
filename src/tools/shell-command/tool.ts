import type { CommandAction } from '../../base/action.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import { interceptPatches } from '../apply-patch/intercept.ts';
import { ESCALATION_PARAMETERS, escalationOf } from '../shell/escalation.ts';
import { loginOf } from '../shell/login-of.ts';
import { type OutputForm, runToEnd, timeLimit } from '../shell/run-to-end.ts';
import type { ToolCode, ToolSettings } from '../tool-entry.ts';

const UNDERSTOOD = {
  type: 'object',
  properties: {
    command: { type: 'string' },
    workdir: { type: 'string' },
    login: { type: 'boolean' },
    timeout_ms: { type: 'number' },
    timeout: { type: 'number' },
    ...ESCALATION_PARAMETERS,
  },
  required: ['command'],
} as const;

export function createTool({ shellOutput: form = 'text' }: ToolSettings): ToolCode {
  return interceptPatches(createShellCommand(form), form);
}

/** Returns the tool that runs a script in the user's shell to its end. */
export function createShellCommand(form: OutputForm): ToolCode<CommandAction> {
  return {
    async plan(call, view) {
      const args = parseArguments(call, UNDERSTOOD);
      return {
        kind: 'command',
        argv: [view.shell, '-c', args.command],
        cwd: args.workdir === undefined ? view.cwd : view.resolve(args.workdir),
        login: loginOf(args.login, view),
        ...escalationOf(args, 'sandbox_permissions: "require_escalated"'),
        ...timeLimit(args.timeout_ms ?? args.timeout),
      };
    },

    run: (action, environment) => runToEnd(action, environment, form),
  };
}
