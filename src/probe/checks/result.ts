import type { CallOutputItem, Item } from '../../base/item.ts';
import { type Check, failure, note, ok } from '../check.ts';
import { askTrying, type ProbeRun, type Trial } from '../probe-run.ts';
import { message, TOOLS } from '../question.ts';

/** Sends the result of the call back, in the same turn. */
export const result: Check = {
  id: 'result',
  asks: 1,
  async run(run) {
    if (run.called === undefined) return note('not tried without a call');
    const before = run.compat;
    const input = withResult(run);
    const answer = await askTrying(run, { input, tools: TOOLS }, TRIALS);
    const failed = failure(answer);
    if (failed !== undefined) return failed;
    if (run.compat !== before) return note('accepted with settings');
    return ok('accepted');
  },
};

/** Sends another turn after the call, as a thread goes on. */
export const nextTurn: Check = {
  id: 'next turn',
  asks: 1,
  async run(run) {
    if (run.called === undefined) return note('not tried without a call');
    const before = run.compat;
    const input = [...withResult(run), message('assistant', 'The sum is 5.'), message('user', 'Say the word pong.')];
    const answer = await askTrying(run, { input, tools: TOOLS }, [
      { compat: { sendReasoning: 'all' }, reason: 'The server wants the reasoning of earlier turns: it is sent back.' },
      { compat: { sendReasoning: 'none' }, reason: 'The server refuses earlier reasoning: it is not sent back.' },
    ]);
    return failure(answer) ?? (run.compat === before ? ok('accepted') : note('accepted with settings'));
  },
};

function withResult({ called }: ProbeRun): readonly Item[] {
  if (called === undefined) return [];
  const { question, answer } = called;
  return [...question.input, ...answer.items, ...answer.calls.map(outputFor)];
}

function outputFor({ call_id, type }: { readonly call_id: string; readonly type: string }): CallOutputItem {
  const output = '5';
  return type === 'custom_tool_call'
    ? { type: 'custom_tool_call_output', call_id, output }
    : { type: 'function_call_output', call_id, output };
}

const TRIALS: readonly Trial[] = [
  {
    compat: { callIds: 'nine' },
    reason: 'The server refuses the ids of calls: ids of nine letters and digits are sent.',
  },
  {
    compat: { emptyContent: 'empty' },
    reason: 'The server refuses messages that hold calls and no text: their content is sent as an empty text.',
  },
  {
    compat: { emptyContent: 'space' },
    reason: 'The server refuses messages that hold calls and no text: their content is sent as a space.',
  },
  {
    compat: { toolOrder: 'strict' },
    reason: 'The server takes results only right behind their calls: they are put in order.',
  },
  { compat: { sendReasoning: 'none' }, reason: 'The server refuses earlier reasoning: it is not sent back.' },
];
