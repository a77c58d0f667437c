import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import { checkOptions } from '../../config/check-options.ts';
import type { ThreadOptions } from '../agent-parts.ts';

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

/** A limit that keeps lists fast, which read the first line of each thread. */
const MOST_METADATA = 16_384;

const METADATA: Accepted = {
  words: `an object of texts, with at most ${MOST_METADATA} bytes as JSON`,
  fits: (value) =>
    isRecord(value) &&
    Object.values(value).every(TEXT.fits) &&
    Buffer.byteLength(JSON.stringify(value)) <= MOST_METADATA,
};

const THREAD_OPTIONS: Readonly<Record<keyof ThreadOptions, Accepted>> = {
  onEvent: FUNCTION,
  ask: FUNCTION,
  beforeCall: FUNCTION,
  afterCall: FUNCTION,
  ephemeral: BOOLEAN,
  keepOutputs: BOOLEAN,
  instructions: TEXT,
  tools: {
    words: 'a list of tools, or a function that returns one',
    fits: (value) => Array.isArray(value) || FUNCTION.fits(value),
  },
  cwd: NAME,
  snapshots: {
    words: '"background", "on-change" or "off"',
    fits: (value) => value === 'background' || value === 'on-change' || value === 'off',
  },
  model: NAME,
  context: { words: 'any value', fits: () => true },
  metadata: METADATA,
  history: {
    words: 'a list of { role, text }, where role is "user" or "assistant" and the text is not empty',
    fits: (value) => Array.isArray(value) && value.every(isMessage),
  },
};

function isMessage(value: unknown): boolean {
  return isRecord(value) && (value.role === 'user' || value.role === 'assistant') && NAME.fits(value.text);
}

/** Options that only a new thread has. */
const OF_NEW_THREADS = {
  startThread: [],
  resumeThread: ['metadata', 'history'],
  forkThread: ['history'],
} as const satisfies Readonly<Record<string, readonly (keyof ThreadOptions)[]>>;

/** Throws `UserError` for an option of a thread that does not exist, or has a value that makes no sense. */
export function checkThreadOptions(method: keyof typeof OF_NEW_THREADS, options: ThreadOptions): void {
  checkOptions(method, options, THREAD_OPTIONS);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (OF_NEW_THREADS[method].some((one) => one === name))
      throw new UserError('invalid_input', `${method} has no option "${name}": only a new thread has it.`);
    checkValue(`The option "${name}" of ${method}`, value, THREAD_OPTIONS[name as keyof ThreadOptions]);
  }
}

/** Throws `UserError` for a query of metadata that makes no sense. Without a check, `undefined` would find threads. */
export function checkMetadataQuery(metadata: unknown): void {
  if (metadata !== undefined) checkValue('The option "metadata" of threads.list', metadata, METADATA);
}

function checkValue(what: string, value: unknown, { words, fits }: Accepted): void {
  if (!fits(value)) throw new UserError('invalid_input', `${what} must be ${words}.`);
}
