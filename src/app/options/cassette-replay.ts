import { UserError } from '../../base/errors.ts';
import { checkOptions, type OptionNames } from '../../config/check-options.ts';

/** A cassette that answers instead of the server. A request that it has no answer for fails the turn. */
export interface CassetteReplay {
  /** Path of the file. */
  readonly path: string;
  /**
   * How requests are compared with the recorded ones. `strict` (the default): the model, all messages, calls and
   * outputs, and the names of the tools. `lenient`: the model, the texts of the user, the order of messages, calls and
   * outputs, and the names of the tools.
   */
  readonly match?: 'strict' | 'lenient';
  /**
   * Whether a request that the cassette has no answer for is sent to the server. The file then gets the exchanges of
   * this run when the thread is closed, and need not exist before.
   */
  readonly update?: boolean;
}

/** Returns the option `replay` with its defaults. Throws `UserError` if it makes no sense. */
export function readReplay(replay: string | CassetteReplay): Required<CassetteReplay> {
  if (typeof replay === 'string') return { path: replay, match: 'strict', update: false };
  checkOptions('replay', replay, REPLAY_OPTIONS);
  const { path, match = 'strict', update = false } = replay;
  if (typeof path !== 'string')
    throw new UserError('invalid_input', 'The option path of replay must be the path of a cassette.');
  if (match === 'strict' || match === 'lenient') return { path, match, update };
  const found = JSON.stringify(match);
  throw new UserError('invalid_input', `The option match of replay must be "strict" or "lenient", not ${found}.`);
}

const REPLAY_OPTIONS: OptionNames<CassetteReplay> = { path: true, match: true, update: true };
