import { type Check, failure, note, ok } from '../check.ts';
import { askTrying } from '../probe-run.ts';
import { ADD, message, TOOLS } from '../question.ts';

/** Asks for two calls in one response. */
export const parallel: Check = {
  id: 'parallel calls',
  asks: 1,
  async run(run) {
    const text = `Call the tool ${ADD.name} twice in one answer: with a = 1 and b = 2, and with a = 3 and b = 4.`;
    const answer = await askTrying(run, { input: [message('user', text)], tools: TOOLS }, [
      {
        compat: { parallelToolCalls: false },
        reason: 'The server does not take several calls at once: they are not asked for.',
      },
    ]);
    const failed = failure(answer);
    if (failed !== undefined) return failed;
    return answer.calls.length > 1 ? ok(`${answer.calls.length} calls in one response`) : note('one call at a time');
  },
};
