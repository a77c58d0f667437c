import type { ToolChoice } from '../../base/model.ts';
import type { ProbeAnswer } from '../answer.ts';
import { type Check, failure, note, ok } from '../check.ts';
import { askTrying, type Trial } from '../probe-run.ts';
import { ADD, GREET, message, TOOLS } from '../question.ts';

/** A choice, a text that asks for the opposite, and the test of the answer. */
interface Choice {
  readonly id: string;
  readonly choice: ToolChoice;
  readonly text: string;
  isObeyed(answer: ProbeAnswer): boolean;
}

const CHOICES: readonly Choice[] = [
  {
    id: 'tool_choice required',
    choice: 'required',
    text: 'Please greet Ada.',
    isObeyed: ({ calls }) => calls.length > 0,
  },
  {
    id: 'tool_choice by name',
    choice: { type: 'function', name: GREET.name },
    text: 'Ada wants to know the sum of 1 and 2.',
    isObeyed: ({ calls }) => calls.length > 0 && calls.every((call) => 'name' in call && call.name === GREET.name),
  },
  {
    id: 'tool_choice none',
    choice: 'none',
    text: `Call the tool ${ADD.name} with a = 1 and b = 2, or say what the sum is.`,
    isObeyed: ({ calls }) => calls.length === 0,
  },
];

const TRIALS: readonly Trial[] = [
  {
    compat: { toolChoice: 'auto' },
    reason: 'The server does not let a tool be forced: the choice is left to the model.',
  },
  { compat: { toolChoice: 'omit' }, reason: 'The server does not take tool_choice: it is left out.' },
];

/** Sends each kind of choice of a tool. */
export const toolChoices: readonly Check[] = CHOICES.map(({ id, choice, text, isObeyed }) => ({
  id,
  asks: 1,
  async run(run) {
    const before = run.compat;
    if (before.toolChoice !== 'any' && choice !== 'none') return note('not sent to this server');
    const answer = await askTrying(run, { input: [message('user', text)], tools: TOOLS, toolChoice: choice }, TRIALS);
    const failed = failure(answer);
    if (failed !== undefined) return failed;
    if (run.compat.toolChoice !== before.toolChoice) return note('refused');
    if (isObeyed(answer)) return ok('obeyed');
    run.add({ quirk: null, what: `${id} was accepted and not obeyed.`, handling: 'limit' });
    return note('not obeyed');
  },
}));
