import type { CommandAction } from '../../../../src/base/action.ts';
import { parseArguments } from '../../../../src/base/parse-arguments.ts';
import type { ToolCode } from '../../../../src/tools/tool-entry.ts';
import { SCRATCH_PARAMETERS } from './facts.ts';

export const createTool = (): ToolCode<CommandAction> => ({
  async plan(call, { cwd }) {
    const { text } = parseArguments(call, SCRATCH_PARAMETERS);
    return { kind: 'command', argv: ['/bin/echo', text], cwd, login: false, escalate: false, yieldMs: 1000 };
  },

  async run(action, hands) {
    const terminal = await hands.open(action);
    const { text } = await terminal.collect(action.yieldMs, hands.signal);
    return { output: text, success: true };
  },
});
