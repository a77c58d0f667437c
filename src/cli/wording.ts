import { messageOf, type Remedy, UserError } from '../base/errors.ts';
import type { Event, RunLimit } from '../base/event.ts';
import type { OptionOrigins } from '../config/load-options.ts';

/**
 * How the command line words what the layers below it say as data. Flags and commands of ours stand in messages here and
 * in the other files of `cli/` only: a program that embeds the library has none of them.
 */

type Advice = { readonly [T in Remedy['type']]: (remedy: Extract<Remedy, { readonly type: T }>) => string };

/** The sentence behind the message of an error, by its way out. */
const ADVICE: Advice = {
  choose_port: () => 'Choose another one with --port; 0 is any that is free.',
  choose_provider: () => 'On the command line: -c model_provider="ollama".',
  fork_thread: ({ thread }) => `To copy it: oxbow exec fork ${thread}`,
  keep_no_record: () => '--ephemeral keeps no record.',
  name_gateway_key: () => 'On the command line: --key-env NAME.',
  name_model: () => 'On the command line: -m NAME.',
  name_upstream: () => 'On the command line: --upstream http://localhost:8000/v1, or -c model_provider=ollama.',
  search_all_folders: () => '--all looks at those of other folders too.',
  unarchive_thread: ({ thread }) => `Take it back with: oxbow threads unarchive ${thread}`,
};

/** The flags that set the limits of a run. */
const LIMIT_FLAGS: Readonly<Record<RunLimit['kind'], string>> = {
  requests: '--max-requests',
  tokens: '--max-tokens',
  cost: '--max-cost',
  time: '--timeout',
};

/** How messages call the settings that the command line gives. */
export const ORIGINS: OptionOrigins = { override: '-c', settings: 'command line' };

interface WordedError {
  readonly message: string;
  readonly remedy?: Remedy | undefined;
  readonly limit?: RunLimit;
}

/** Returns the message of an error with the advice that it has for users of the command line. */
export function worded({ message, remedy, limit }: WordedError): string {
  if (limit !== undefined) return `${message} It is set by ${LIMIT_FLAGS[limit.kind]}.`;
  return remedy === undefined ? message : `${message} ${adviceFor(remedy)}`;
}

/** Returns the message of whatever was thrown, worded. */
export function wordedMessage(error: unknown): string {
  return error instanceof UserError ? worded(error) : messageOf(error);
}

/** Returns an event as the command line tells it. */
export function wordedEvent(event: Event): Event {
  if (event.type !== 'turn.failed') return event;
  return { ...event, error: { ...event.error, message: worded(event.error) } };
}

function adviceFor<R extends Remedy>(remedy: R): string {
  const advise = ADVICE[remedy.type] as (remedy: R) => string;
  return advise(remedy);
}
