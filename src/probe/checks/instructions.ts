import { wholeText } from '../../base/request-text.ts';
import type { Compat } from '../../base/wire.ts';
import type { ProbeAnswer } from '../answer.ts';
import { type Check, note, ok } from '../check.ts';
import type { ProbeRun } from '../probe-run.ts';
import { requestOf } from '../question.ts';
import { MARK, PLAIN } from './reach.ts';

/** Looks whether the first answer obeyed its instructions, and tries their other place. */
export const instructions: Check = {
  id: 'instructions',
  asks: 0,
  async run(run) {
    if (run.first === undefined || isObeyed(run.first)) return ok('obeyed');
    const asItem: Partial<Compat> = { instructions: 'item' };
    if (run.compat.instructions !== 'item' && differs(run, asItem)) {
      const answer = await run.ask({ ...PLAIN, compat: asItem });
      if (isObeyed(answer)) {
        run.settle({
          compat: asItem,
          reason: 'The server ignores the field of the instructions: they are sent as the first item.',
        });
        return note('obeyed as an item only');
      }
    }
    run.add({ quirk: null, what: 'The model did not obey the instructions.', handling: 'limit' });
    return note('not obeyed');
  },
};

function isObeyed({ text }: ProbeAnswer): boolean {
  return text.toLowerCase().includes(MARK);
}

/** Reports whether a setting changes the requests of the chosen wire. */
function differs({ wire, compat, model }: ProbeRun, other: Partial<Compat>): boolean {
  const encoded = (settings: Compat) => wire && wholeText(wire.encodeRequest(requestOf(PLAIN, model), settings));
  return encoded(compat) !== encoded({ ...compat, ...other });
}
