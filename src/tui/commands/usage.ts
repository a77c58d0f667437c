import { step } from '../effect.ts';
import { table } from './notice.ts';
import type { SlashCommand } from './slash-command.ts';

/** Shows the tokens, cost and time of the thread. */
export const usage: SlashCommand = {
  summary: 'show the tokens, cost and time of this thread',
  begin(model) {
    if (!model.thread?.hasTurns) return step({ ...model, hint: 'The thread has no turns yet.' });
    return step(model, { type: 'perform', command: 'usage', task: { what: 'show', value: '' } });
  },
  async perform({ agent, thread }) {
    const { total, turns } = await agent.usage(thread.id);
    const { usage: tokens } = total;
    const count = (value: number) => value.toLocaleString('en');
    return [
      table('Usage of this thread', [
        ['turns', count(turns.length)],
        ['requests', `${count(total.requests)}, sent again ${count(total.retries)}`],
        ['repairs', count(total.repairs)],
        ['input', `${count(tokens.inputTokens)} tokens, ${count(tokens.cachedInputTokens)} of them from the cache`],
        ['output', `${count(tokens.outputTokens)} tokens, ${count(tokens.reasoningOutputTokens)} of them reasoning`],
        ['cost', total.cost === null ? 'unknown' : `$${total.cost.toFixed(4)}`],
        ['time', `${(total.modelMs / 1000).toFixed(1)} s in the model, ${(total.toolMs / 1000).toFixed(1)} s in tools`],
      ]),
    ];
  },
};
