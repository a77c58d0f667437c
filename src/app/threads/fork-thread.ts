import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import { ROLLOUT_FORMAT, type SessionMeta } from '../../base/log.ts';
import type { Provider } from '../../base/provider.ts';
import type { ThreadCatalogue } from '../../base/thread-store.ts';
import type { World } from '../../base/world.ts';
import type { Config } from '../../config/load-config.ts';
import { parseMeta, type RolloutMeta } from '../../log/rollout-meta.ts';
import { metadataOf } from '../../log/thread-facts.ts';
import { findThread, type ThreadReference } from './find-thread.ts';

/** Parts of an agent that a fork needs. */
export interface ForkParts {
  readonly config: Pick<Config, 'cwd'>;
  readonly world: World;
  readonly originator: string;
  readonly source: string;
  readonly provider: Pick<Provider, 'id'>;
  readonly store: ThreadCatalogue;
}

export interface ForkChoice {
  /** Last turn to take over: its number or id. Default: the last turn. */
  readonly at?: number | string | undefined;
  /** Default: the metadata of the other thread. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Makes a new thread with the turns of another one, up to the end of a turn. Returns the id of the new thread. */
export async function forkThread(
  { config, world, originator, source, provider, store }: ForkParts,
  thread: ThreadReference,
  { at, metadata }: ForkChoice,
): Promise<string> {
  const from = await findThread(store, thread);
  const parent = await firstLine(store, from.id);
  const id = world.uuid();
  const texts = metadata ?? metadataOf(parent);
  await store.fork(from.id, at ?? null, {
    id,
    session_id: id,
    forked_from_id: from.id,
    timestamp: new Date(world.now()).toISOString(),
    cwd: config.cwd,
    originator,
    cli_version: OXBOW_VERSION,
    source,
    model_provider: provider.id,
    ...instructionsOf(parent),
    history_mode: 'legacy',
    oxbow_format: ROLLOUT_FORMAT,
    ...(Object.keys(texts).length === 0 ? {} : { oxbow_metadata: texts }),
  });
  return id;
}

async function firstLine(store: ThreadCatalogue, id: string): Promise<RolloutMeta> {
  let label = `The thread ${id}`;
  for await (const line of store.read(id)) {
    const meta = parseMeta(line.bytes);
    if (meta) return meta;
    label = line.label;
    break;
  }
  throw new UserError('damaged', `${label} is damaged: its first line does not say what thread it is.`);
}

/** Returns the instructions of the parent, so that the requests of the fork begin with the same bytes. */
function instructionsOf({ base_instructions }: RolloutMeta): Pick<SessionMeta, 'base_instructions'> {
  const text = isRecord(base_instructions) ? base_instructions.text : undefined;
  return typeof text === 'string' ? { base_instructions: { text } } : {};
}
