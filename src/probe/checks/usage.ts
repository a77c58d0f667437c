import { type Check, note, ok } from '../check.ts';

/** Looks whether the answers so far report their tokens. */
export const usage: Check = {
  id: 'usage',
  asks: 0,
  async run(run) {
    const good = run.goodAnswers();
    const without = good.filter((answer) => answer.usage === null);
    if (without.length === 0) return ok('reported');
    run.add({ quirk: 'F16', what: 'no usage, so the fill of the context is estimated', handling: 'tolerated' });
    return note(
      without.length === good.length ? 'not reported' : `missing in ${without.length} of ${good.length} answers`,
    );
  },
};
