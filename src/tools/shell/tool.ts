import type { CommandAction } from '../../base/action.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import { interceptPatches } from '../apply-patch/intercept.ts';
import type { ToolCode, ToolSettings } from '../tool-entry.ts';
import { ESCALATION_PARAMETERS, escalationOf } from './escalation.ts';
import { repairArgv } from './repair-argv.ts';
import { type OutputForm, runToEnd, timeLimit } from './run-to-end.ts';

/** Accepted parameters, which are more than the offered ones. */
const ACCEPTED_PARAMETERS = {
  type: 'object',
  properties: {
    command: { type: 'array', items: { type: 'string' } },
    workdir: { type: 'string' },
    timeout_ms: { type: 'number' },
    timeout: { type: 'number' },
    ...ESCALATION_PARAMETERS,
  },
  required: ['command'],
} as const;

export function createTool({ shellOutput: form = 'json' }: ToolSettings): ToolCode {
  return interceptPatches(createShell(form), form);
}

/** Returns the tool that runs the words of a command to its end. */
export function createShell(form: OutputForm): ToolCode<CommandAction> {
  return {
    async plan(call, view) {
      const args = parseArguments(call, ACCEPTED_PARAMETERS);
      return {
        kind: 'command',
        ...repairArgv(args.command, view),
        cwd: args.workdir === undefined ? view.cwd : view.resolve(args.workdir),
        login: view.loginShell ?? true,
        ...escalationOf(args, 'with_escalated_permissions: true'),
        ...timeLimit(args.timeout_ms ?? args.timeout),
      };
    },

    run: (action, environment) => runToEnd(action, environment, form),
  };
}
