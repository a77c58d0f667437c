import { UserError } from '../../base/errors.ts';
import type { ThreadOptions } from '../agent-parts.ts';
import { checkOptions } from './check-options.ts';

/** The values that an option accepts. */
interface Accepted {
  /** Completes the sentence "The option must be". */
  readonly words: string;
  fits(value: unknown): boolean;
}

const FUNCTION: Accepted = { words: 'a function', fits: (value) => typeof value === 'function' };
const BOOLEAN: Accepted = { words: 'true or false', fits: (value) => typeof value === 'boolean' };
const TEXT: Accepted = { words: 'a text', fits: (value) => typeof value === 'string' };
const NAME: Accepted = { words: 'a text that is not empty', fits: (value) => TEXT.fits(value) && value !== '' };

const THREAD_OPTIONS: Readonly<Record<keyof ThreadOptions, Accepted>> = {
  onEvent: FUNCTION,
  ask: FUNCTION,
  ephemeral: BOOLEAN,
  instructions: TEXT,
  tools: {
    words: 'a list of tools, or a function that returns one',
    fits: (value) => Array.isArray(value) || FUNCTION.fits(value),
  },
  cwd: NAME,
  model: NAME,
  context: { words: 'any value', fits: () => true },
};

/** Throws `UserError` for an option of a thread that does not exist, or has a value that makes no sense. */
export function checkThreadOptions(
  method: 'startThread' | 'resumeThread' | 'forkThread',
  options: ThreadOptions,
): void {
  checkOptions(method, options, THREAD_OPTIONS);
  for (const [name, value] of Object.entries(options)) {
    const { words, fits } = THREAD_OPTIONS[name as keyof ThreadOptions];
    if (value !== undefined && !fits(value))
      throw new UserError('invalid_input', `The option "${name}" of ${method} must be ${words}.`);
  }
}
