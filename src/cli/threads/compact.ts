import { createAgent } from '../../app/agent.ts';
import { UserError } from '../../base/errors.ts';
import type { Event } from '../../base/event.ts';
import { interruptSignal } from '../interrupt-signal.ts';
import { OFFLINE_OPTION, withOffline } from '../offline-option.ts';
import { print } from '../output.ts';
import { ORIGINS, worded } from '../wording.ts';
import { parseVerb } from './parse-verb.ts';

const options = {
  model: { type: 'string', short: 'm', value: 'MODEL', help: 'The model to ask' },
  ...OFFLINE_OPTION,
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: {
    type: 'string',
    short: 'p',
    value: 'PROFILE',
    help: 'Use a profile of config.toml, or PROFILE.config.toml',
  },
  json: { type: 'boolean', help: 'Print the result as JSON' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow threads compact THREAD',
  about: `Replaces the history of a thread by your own messages and a summary that the model writes. Threads that grow too long
are compacted automatically. This command compacts one earlier.`,
  options,
  example: 'oxbow threads compact 01a1dfaa-5614',
};

type Compacted = Extract<Event, { type: 'compacted' }>;

/** Runs `oxbow threads compact`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ name: 'compact', takes: ['THREAD'], help }, argv);
  if (!read) return 0;
  const { config, offline, model, profile, json } = read.values;
  const agent = createAgent({
    originator: 'oxbow_exec',
    ownProcess: true,
    origins: ORIGINS,
    overrides: withOffline(config, offline),
    ...(model === undefined ? {} : { settings: { model } }),
    ...(profile === undefined ? {} : { profile }),
  });
  const done = await compactThread(agent, String(read.words[0]));
  const text = done.compacted
    ? `${done.compacted.before} tokens before, ${done.compacted.after} now, by estimate.`
    : NOTHING;
  print(json ? `${JSON.stringify(jsonOf(done))}\n` : `Thread ${done.id}: ${text}\n`);
  return 0;
}

const NOTHING = 'there is nothing to compact.';

interface Done {
  readonly id: string;
  /** Undefined when there was nothing to compact. */
  readonly compacted: Compacted | undefined;
}

/** Compacts a thread. Throws `UserError` when that fails. */
async function compactThread(agent: ReturnType<typeof createAgent>, name: string): Promise<Done> {
  const events: Event[] = [];
  const thread = await agent.resumeThread({ text: name }, { onEvent: (event) => events.push(event) });
  const interrupt = interruptSignal();
  try {
    const { status, error } = await thread.compact({ signal: interrupt.signal });
    if (status !== 'completed') throw new UserError('unavailable', error === null ? 'interrupted' : worded(error));
    return { id: thread.id, compacted: events.find((event) => event.type === 'compacted') };
  } finally {
    await agent.close();
    interrupt.done();
  }
}

function jsonOf({ id, compacted }: Done) {
  const tokens = compacted && { tokens_before: compacted.before, tokens_after: compacted.after };
  return { thread_id: id, compacted: compacted !== undefined, ...tokens };
}
