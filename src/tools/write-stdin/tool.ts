import type { TerminalInputAction } from '../../base/action.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import type { ToolCode, ToolSettings } from '../tool-entry.ts';
import { WRITE_STDIN_PARAMETERS } from './facts.ts';
import { terminalInputOf } from './terminal-input.ts';

const TYPING_YIELD_MS = { fallback: 250, min: 250, max: 30_000 };
const POLLING_YIELD_MS = { fallback: 5_000, min: 5_000 };

/** Returns the tool that types into a terminal or polls it. A poll waits at most `maxPollMs`. */
export function createTool(settings: ToolSettings): ToolCode<TerminalInputAction> {
  const { maxPollMs } = settings;
  const input = terminalInputOf(settings);
  return {
    async plan(call) {
      const args = parseArguments(call, WRITE_STDIN_PARAMETERS);
      const chars = args.chars ?? '';
      const range =
        chars === '' ? { ...POLLING_YIELD_MS, max: Math.max(POLLING_YIELD_MS.min, maxPollMs) } : TYPING_YIELD_MS;
      return {
        kind: 'terminal_input',
        terminalId: args.session_id,
        chars,
        yieldMs: Math.min(Math.max(args.yield_time_ms ?? range.fallback, range.min), range.max),
        ...(args.max_output_tokens === undefined ? {} : { maxOutputTokens: args.max_output_tokens }),
      };
    },

    run: (action, environment) => input('write_stdin', action, environment),
  };
}
