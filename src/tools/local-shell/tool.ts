import type { CommandAction } from '../../base/action.ts';
import { ToolFailure } from '../../base/errors.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import type { ToolCall } from '../../base/tool.ts';
import { interceptPatches } from '../apply-patch/intercept.ts';
import { ESCALATION_PARAMETERS, escalationOf } from '../shell/escalation.ts';
import { repairArgv } from '../shell/repair-argv.ts';
import { type OutputForm, runToEnd, timeLimit } from '../shell/run-to-end.ts';
import type { ToolCode, ToolSettings } from '../tool-entry.ts';

const UNDERSTOOD = {
  type: 'object',
  properties: {
    command: { type: 'array', items: { type: 'string' } },
    working_directory: { type: 'string' },
    workdir: { type: 'string' },
    timeout_ms: { type: 'number' },
    env: { type: 'object' },
    user: { type: 'string' },
    ...ESCALATION_PARAMETERS,
  },
  required: ['command'],
} as const;

export function createTool({ shellOutput: form = 'json', user }: ToolSettings): ToolCode {
  return interceptPatches(createLocalShell({ form, user }), form);
}

export interface LocalShellOptions {
  readonly form: OutputForm;
  /** Returns the name of the user that commands run as. */
  user(): string;
}

/** Returns the tool that runs the words of a command to its end, for models with a built-in tool of this name. */
export function createLocalShell({ form, user }: LocalShellOptions): ToolCode<CommandAction> {
  return {
    async plan(call, view) {
      const args = parseArguments(asFunction(call), UNDERSTOOD);
      if (args.user !== undefined && args.user !== '' && args.user !== user()) throw otherUser(args.user, user());
      const { argv, ...repaired } = repairArgv(args.command, view);
      const folder = args.working_directory ?? args.workdir;
      return {
        kind: 'command',
        ...repaired,
        argv: [...assignments(args.env), ...argv],
        cwd: folder === undefined ? view.cwd : view.resolve(folder),
        login: view.loginShell ?? true,
        ...escalationOf(args, 'with_escalated_permissions: true'),
        ...timeLimit(args.timeout_ms),
      };
    },

    run: (action, environment) => runToEnd(action, environment, form),
  };
}

/** Converts a `local_shell` call into a function call with the names of our parameters. */
function asFunction(call: ToolCall): ToolCall {
  const { payload } = call;
  if (payload.kind !== 'local_shell') return call;
  return { ...call, payload: { kind: 'function', arguments: JSON.stringify(payload.action) } };
}

/**
 * Returns variables as part of the command, where rules, approvals and the user see them: a variable may change what a
 * program does as much as its arguments.
 */
function assignments(env: unknown): string[] {
  const variables = Object.entries((env ?? {}) as Record<string, unknown>);
  const wrong = variables.find(([name, value]) => typeof value !== 'string' || !/^[A-Za-z_]\w*$/.test(name));
  if (wrong) {
    const reason = `\`env\` must hold names of variables and texts, not \`${wrong[0]}\``;
    throw new ToolFailure('parse', `failed to parse function arguments: ${reason}`);
  }
  return variables.length === 0 ? [] : ['env', ...variables.map(([name, value]) => `${name}=${value}`)];
}

function otherUser(asked: string, own: string): ToolFailure {
  return new ToolFailure('permission', `Commands run as ${own}, not as ${asked}: leave \`user\` out.`);
}
