import type { FunctionSpec } from '../../base/tool.ts';
import { type Check, failure, note, ok } from '../check.ts';
import { askTrying } from '../probe-run.ts';
import { ADD, message } from '../question.ts';

const LONG: readonly FunctionSpec[] = [{ ...ADD, name: `tools.${'very_'.repeat(12)}long/name` }];

/** Sends a long name of a tool with a dot and a slash, as MCP servers have them. */
export const names: Check = {
  id: 'tool names',
  asks: 1,
  async run(run) {
    const before = run.compat;
    const answer = await askTrying(run, { input: [message('user', 'Say the word pong.')], tools: LONG }, [
      {
        compat: { toolNames: 'plain' },
        reason: 'The server refuses the name of a tool: names are sent in letters, digits, underscores and dashes.',
      },
    ]);
    return failure(answer) ?? (run.compat === before ? ok('any') : note('plain names only'));
  },
};
