import type { CommandAction, TerminalInputAction } from '../../base/action.ts';
import { ToolFailure } from '../../base/errors.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import type { View } from '../../base/tool.ts';
import { interceptPatches } from '../apply-patch/intercept.ts';
import { answer } from '../exec-command/answer.ts';
import { openCommand } from '../exec-command/open-command.ts';
import { repairArgv } from '../shell/repair-argv.ts';
import type { ToolCode, ToolSettings } from '../tool-entry.ts';
import { type TerminalInput, terminalInputOf } from '../write-stdin/terminal-input.ts';

/** Accepted parameters, which are more than the offered ones. The session used to be a string. */
const ACCEPTED_PARAMETERS = {
  type: 'object',
  properties: {
    input: { type: 'array', items: { type: 'string' } },
    session_id: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    timeout_ms: { type: 'number' },
  },
  required: ['input'],
} as const;

const TIMEOUT_MS = { fallback: 1000, min: 250, max: 60_000 };

export function createTool(settings: ToolSettings): ToolCode {
  return interceptPatches(createUnifiedExec(terminalInputOf(settings)), 'nested');
}

/** Returns the tool that starts a command in a terminal or types into one. It answers like exec_command. */
export function createUnifiedExec(input: TerminalInput): ToolCode<CommandAction | TerminalInputAction> {
  return {
    async plan(call, view) {
      const args = parseArguments(call, ACCEPTED_PARAMETERS);
      const asked = args.timeout_ms ?? TIMEOUT_MS.fallback;
      const yieldMs = Math.min(Math.max(asked, TIMEOUT_MS.min), TIMEOUT_MS.max);
      if (args.session_id === undefined) return commandOf(args.input, view, yieldMs);
      return { kind: 'terminal_input', terminalId: sessionOf(args.session_id), chars: args.input.join(''), yieldMs };
    },

    async run(action, environment) {
      if (action.kind === 'terminal_input') return input('unified_exec', action, environment);
      return answer(await openCommand('unified_exec', action, environment), action, environment);
    },
  };
}

function commandOf(words: readonly string[], view: View, yieldMs: number): CommandAction {
  if (words.length === 0) throw new ToolFailure('parse', 'unified_exec failed: `input` names no program to run');
  return {
    kind: 'command',
    ...repairArgv(words, view),
    cwd: view.cwd,
    login: view.loginShell ?? true,
    escalate: false,
    tty: true,
    yieldMs,
  };
}

function sessionOf(id: number | string): number {
  const number = Number(id);
  if (id !== '' && Number.isInteger(number)) return number;
  throw new ToolFailure('parse', `unified_exec failed: invalid session_id: ${id}`);
}
