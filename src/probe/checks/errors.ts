import { parseErrorBody } from '../../model/error-body.ts';
import { type Check, note, ok } from '../check.ts';
import { message } from '../question.ts';

const NO_MODEL = 'oxbow-probe-no-such-model';

/** Asks for a model that no server has, to see an error. */
export const errors: Check = {
  id: 'errors',
  asks: 1,
  async run(run) {
    const learned = run.learned();
    const answer = await run.ask({ model: NO_MODEL, input: [message('user', 'Say the word pong.')] });
    // This answer says nothing about the model that was probed.
    run.restore(learned);
    run.answers.pop();
    const { status = 0, body, error } = answer;
    if (error === undefined) return note('the server answers for any name of a model');
    if (status >= 200 && status <= 299) {
      run.add({ quirk: 'F11', what: 'an error with a status of success', handling: 'tolerated' });
      return note(`reported with status ${status}`);
    }
    const { error: fields, message: said } = parseErrorBody(body);
    return fields !== undefined && said !== ''
      ? ok(`status ${status}, with a reason`)
      : note(`status ${status}, without a reason`);
  },
};
