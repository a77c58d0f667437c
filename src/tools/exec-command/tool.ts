import type { CommandAction } from '../../base/action.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import { interceptPatches } from '../apply-patch/intercept.ts';
import { escalationOf } from '../shell/escalation.ts';
import { loginOf } from '../shell/login-of.ts';
import type { ToolCode } from '../tool-entry.ts';
import { answer } from './answer.ts';
import { EXEC_COMMAND_PARAMETERS } from './facts.ts';
import { openCommand } from './open-command.ts';

const DEFAULT_YIELD_MS = 10_000;
const YIELD_RANGE_MS = [250, 30_000] as const;

export const createTool = (): ToolCode => interceptPatches(execCommand, 'nested');

/** Runs a command. A command that outlives the yield time continues as a terminal. */
const execCommand: ToolCode<CommandAction> = {
  async plan(call, view) {
    const args = parseArguments(call, EXEC_COMMAND_PARAMETERS);
    return {
      kind: 'command',
      argv: [args.shell ?? view.shell, '-c', args.cmd],
      cwd: args.workdir === undefined ? view.cwd : view.resolve(args.workdir),
      login: loginOf(args.login, view),
      ...escalationOf(args, 'sandbox_permissions: "require_escalated"'),
      ...(args.tty ? { tty: true } : {}),
      yieldMs: Math.min(Math.max(args.yield_time_ms ?? DEFAULT_YIELD_MS, YIELD_RANGE_MS[0]), YIELD_RANGE_MS[1]),
      ...(args.max_output_tokens === undefined ? {} : { maxOutputTokens: args.max_output_tokens }),
    };
  },

  async run(action, environment) {
    return answer(await openCommand('exec_command', action, environment), action, environment);
  },
};
