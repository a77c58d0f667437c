import type { TerminalInputAction } from '../../base/action.ts';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import type { Tool } from '../../base/tool.ts';
import { answer } from '../exec-command/answer.ts';
import description from './description.md';

const parameters = {
  type: 'object',
  properties: {
    chars: { type: 'string', description: 'What to type. Default empty: only wait for output.' },
    max_output_tokens: {
      type: 'number',
      description: 'The most tokens to return; the middle of longer output is cut.',
    },
    session_id: { type: 'number', description: 'The session ID that exec_command returned.' },
    yield_time_ms: {
      type: 'number',
      description: 'How long to wait for output. Default 250 after typing, 5000 without.',
    },
  },
  required: ['session_id'],
  additionalProperties: false,
} as const;

const TYPING_YIELD_MS = { fallback: 250, min: 250, max: 30_000 };
const POLLING_YIELD_MS = { fallback: 5_000, min: 5_000, max: 300_000 };

/** Types into a terminal, or polls it. */
export const writeStdin: Tool<TerminalInputAction> = {
  name: 'write_stdin',
  accepts: ['function'],
  spec: { type: 'function', name: 'write_stdin', description: description.trim(), strict: false, parameters },
  parallel: true,

  async plan(call) {
    const args = parseArguments(call, parameters);
    const chars = args.chars ?? '';
    const range = chars === '' ? POLLING_YIELD_MS : TYPING_YIELD_MS;
    return {
      kind: 'terminal_input',
      terminalId: args.session_id,
      chars,
      yieldMs: Math.min(Math.max(args.yield_time_ms ?? range.fallback, range.min), range.max),
      ...(args.max_output_tokens === undefined ? {} : { maxOutputTokens: args.max_output_tokens }),
    };
  },

  async run(action, hands) {
    const terminal = hands.terminal(action.terminalId);
    if (!terminal) throw failed(`Unknown process id ${action.terminalId}`);
    if (action.chars !== '') {
      await terminal.write(action.chars).catch((error: unknown) => {
        throw failed(messageOf(error), error);
      });
    }
    return answer(terminal, action, hands);
  },
};

function failed(reason: string, cause?: unknown): ToolFailure {
  return new ToolFailure('execution', `write_stdin failed: ${reason}`, { cause });
}
