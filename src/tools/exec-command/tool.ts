import type { CommandAction } from '../../base/action.ts';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import type { Tool } from '../../base/tool.ts';
import { answer } from './answer.ts';
import description from './description.md';

const parameters = {
  type: 'object',
  properties: {
    cmd: { type: 'string', description: 'The command line to run.' },
    justification: {
      type: 'string',
      description: 'With require_escalated only: one sentence for the user on why the command must leave the sandbox.',
    },
    login: { type: 'boolean', description: 'Whether to run with the environment of a login shell. Default true.' },
    max_output_tokens: {
      type: 'number',
      description: 'The most tokens to return; the middle of longer output is cut.',
    },
    prefix_rule: {
      type: 'array',
      items: { type: 'string' },
      description:
        'With require_escalated only: the first words of the command, such as ["npm", "install"]. The user may allow all commands that begin with them from now on.',
    },
    sandbox_permissions: {
      type: 'string',
      enum: ['use_default', 'require_escalated'],
      description: 'require_escalated asks to run outside the sandbox. Default use_default.',
    },
    shell: { type: 'string', description: "The shell to run it with. Default: the user's." },
    workdir: { type: 'string', description: 'The folder to run it in. Default: the working directory of the turn.' },
    yield_time_ms: {
      type: 'number',
      description: 'How long to wait for the command before returning what it has printed so far. Default 10000.',
    },
  },
  required: ['cmd'],
  additionalProperties: false,
} as const;

const DEFAULT_YIELD_MS = 10_000;
const YIELD_RANGE_MS = [250, 30_000] as const;

/** Runs a command; one that outlives the yield time goes on as a terminal. */
export const execCommand: Tool<CommandAction> = {
  name: 'exec_command',
  accepts: ['function'],
  spec: { type: 'function', name: 'exec_command', description: description.trim(), strict: false, parameters },
  parallel: true,

  async plan(call, view) {
    const args = parseArguments(call, parameters);
    const escalate = args.sandbox_permissions === 'require_escalated';
    if (args.justification !== undefined && !escalate) throw new ToolFailure('parse', LONE_JUSTIFICATION);
    return {
      kind: 'command',
      argv: [args.shell ?? view.shell, '-c', args.cmd],
      cwd: args.workdir === undefined ? view.cwd : view.resolve(args.workdir),
      login: args.login ?? true,
      escalate,
      ...(args.justification === undefined ? {} : { justification: args.justification }),
      ...(args.prefix_rule === undefined ? {} : { prefixRule: args.prefix_rule }),
      yieldMs: Math.min(Math.max(args.yield_time_ms ?? DEFAULT_YIELD_MS, YIELD_RANGE_MS[0]), YIELD_RANGE_MS[1]),
      ...(args.max_output_tokens === undefined ? {} : { maxOutputTokens: args.max_output_tokens }),
    };
  },

  async run(action, hands) {
    const terminal = await hands.open(action).catch((error: unknown) => {
      const kind = error instanceof ToolFailure ? error.kind : 'execution';
      throw new ToolFailure(kind, `exec_command failed: ${messageOf(error)}`, { cause: error });
    });
    return answer(terminal, action, hands);
  },

  aborted: (seconds) => `Wall time: ${seconds.toFixed(1)} seconds\naborted by user`,
};

const LONE_JUSTIFICATION =
  '`justification` was given without `sandbox_permissions: "require_escalated"`. Set both to ask for running outside the sandbox, or leave `justification` out.';
