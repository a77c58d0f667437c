import type { CommandAction } from '../../base/action.ts';
import { cutMiddle, type TextLimit } from '../../base/bound-text.ts';
import { ToolFailure } from '../../base/errors.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import type { Tool, ToolResult, View } from '../../base/tool.ts';
import { scriptOfOperators } from '../../shell/argv-operators.ts';
import description from './description.md';

const parameters = {
  type: 'object',
  properties: {
    command: { type: 'array', items: { type: 'string' }, description: 'The command to execute.' },
    workdir: { type: 'string', description: 'The working directory to execute the command in.' },
    timeout_ms: { type: 'number', description: 'The timeout for the command in milliseconds.' },
    with_escalated_permissions: { type: 'boolean', description: 'Whether to request escalated permissions.' },
    justification: {
      type: 'string',
      description: 'A justification for running with escalated permissions.',
    },
  },
  required: ['command'],
  additionalProperties: false,
} as const;

const DEFAULT_TIMEOUT_MS = 10_000;
const TIMED_OUT = 124;

/** Runs a command to its end and answers in JSON. */
export const shell: Tool<CommandAction> = {
  name: 'shell',
  aliases: ['container.exec'],
  accepts: ['function'],
  spec: { type: 'function', name: 'shell', description: description.trim(), strict: false, parameters },
  parallel: true,

  async plan(call, view) {
    const args = parseArguments(call, parameters);
    if (args.command.length === 0)
      throw new ToolFailure('parse', 'failed to parse function arguments: `command` is empty');
    const timeoutMs = args.timeout_ms ?? DEFAULT_TIMEOUT_MS;
    return {
      kind: 'command',
      ...mend(args.command, view),
      cwd: args.workdir === undefined ? view.cwd : view.resolve(args.workdir),
      login: true,
      escalate: args.with_escalated_permissions ?? false,
      ...(args.justification === undefined ? {} : { justification: args.justification }),
      yieldMs: timeoutMs,
      timeoutMs,
    };
  },

  async run(action, hands): Promise<ToolResult> {
    const terminal = await hands.open(action);
    const { text, exitCode, waitedMs } = await terminal.collect(action.yieldMs, hands.signal);
    if (exitCode !== null) {
      return { output: answer(text, exitCode, waitedMs, hands.textLimit), success: exitCode === 0 };
    }
    await terminal.kill();
    const note = `command timed out after ${action.yieldMs} milliseconds`;
    const output = answer(text === '' ? note : `${note}\n${text}`, TIMED_OUT, waitedMs, hands.textLimit);
    return { output, success: false, failure: 'timeout' };
  },
};

/** An argv with shell operators among its words does nothing useful without a shell. */
function mend(argv: readonly string[], view: View): Pick<CommandAction, 'argv' | 'repair'> {
  const script = view.repairArgv ? scriptOfOperators(argv) : undefined;
  if (script === undefined) return { argv };
  const title = 'shell operators among the words of a command, which now runs through the shell';
  const repair = { id: 'argv_operators', title, before: JSON.stringify(argv), after: script };
  return { argv: [view.shell, '-c', script], repair };
}

function answer(text: string, exitCode: number, waitedMs: number, limit: TextLimit): string {
  const duration_seconds = Math.round(waitedMs / 100) / 10;
  return JSON.stringify({ output: cutMiddle(text, limit), metadata: { exit_code: exitCode, duration_seconds } });
}
