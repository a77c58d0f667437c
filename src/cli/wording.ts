import { messageOf, type Remedy, UserError } from '../base/errors.ts';
import type { Event, RunLimit, TurnError } from '../base/event.ts';
import { isRecord } from '../base/json-schema.ts';
import type { OptionOrigins } from '../config/load-options.ts';

/**
 * Wording of the data that lower layers attach to errors. Only `cli/` names flags and commands in messages, because a
 * program that embeds the library has none of them.
 */

type Advice = { readonly [T in Remedy['type']]: (remedy: Extract<Remedy, { readonly type: T }>) => string };

/** Sentence that follows the message of an error, by its remedy. */
const ADVICE: Advice = {
  choose_port: () => 'Choose another one with --port, or let --port 0 pick a free one.',
  choose_provider: () => 'To sign in: oxbow login. For a server on this machine: -c model_provider="ollama".',
  choose_wire: () => 'On the command line: --wire NAME.',
  fork_thread: ({ thread }) => `To copy it: oxbow exec fork ${thread}`,
  keep_no_record: () => '--ephemeral keeps no record.',
  name_gateway_key: () => 'On the command line: --key-env NAME.',
  name_model: () => 'On the command line: -m NAME.',
  name_upstream: () => 'On the command line: --upstream http://localhost:8000/v1, or --provider ollama.',
  search_all_folders: () => '--all includes other folders.',
  sign_in: ({ account }) => `To sign in: oxbow login${account === undefined ? '' : ` --account ${account}`}`,
  sign_in_with_code: () => 'To sign in with a code: oxbow login --device-auth',
  unarchive_thread: ({ thread }) => `To unarchive it: oxbow threads unarchive ${thread}`,
};

/** Flags that set the limits of a run. */
const LIMIT_FLAGS: Readonly<Record<RunLimit['kind'], string>> = {
  requests: '--max-requests',
  tokens: '--max-tokens',
  cost: '--max-cost',
  time: '--timeout',
};

/** Names of the command line's settings in messages. */
export const ORIGINS: OptionOrigins = {
  override: '-c',
  settings: 'command line',
  accept: 'oxbow trust',
  explain: 'oxbow config',
};

interface WordedError {
  readonly message: string;
  readonly remedy?: Remedy | undefined;
  readonly limit?: RunLimit;
}

/** Returns the message of an error with advice for users of the command line. */
export function worded({ message, remedy, limit }: WordedError): string {
  if (limit !== undefined) return `${message} It is set by ${LIMIT_FLAGS[limit.kind]}.`;
  return remedy === undefined ? message : `${message} ${adviceFor(remedy)}`;
}

/** Returns the worded message of any thrown value, or of the failure of a turn. */
export function wordedMessage(error: unknown): string {
  return error instanceof UserError || isTurnError(error) ? worded(error) : messageOf(error);
}

const isTurnError = (error: unknown): error is TurnError =>
  !(error instanceof Error) && isRecord(error) && typeof error.message === 'string' && typeof error.code === 'string';

/** Returns an event with the worded message of its error. */
export function wordedEvent(event: Event): Event {
  if (event.type !== 'turn.failed') return event;
  return { ...event, error: { ...event.error, message: worded(event.error) } };
}

function adviceFor<R extends Remedy>(remedy: R): string {
  const advise = ADVICE[remedy.type] as (remedy: R) => string;
  return advise(remedy);
}
