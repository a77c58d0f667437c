import { isRecord } from '../base/json-schema.ts';
import { localTime } from '../base/local-time.ts';
import { ROLLOUT_FORMAT, type SessionMeta } from '../base/log.ts';
import type { Provider } from '../base/provider.ts';
import type { World } from '../base/world.ts';
import type { Config } from '../config/load-config.ts';
import { forkRollout } from '../store/fork-rollout.ts';
import type { RolloutMeta } from '../store/read-meta.ts';
import { resolveThread } from '../store/resolve-thread.ts';
import { rolloutPath } from '../store/rollout.ts';

/** What a fork takes from the agent that makes it. */
export interface ForkParts {
  readonly config: Pick<Config, 'home' | 'cwd' | 'timezone'>;
  readonly world: World;
  readonly originator: string;
  readonly provider: Pick<Provider, 'id'>;
}

/** Makes a new thread that begins with the turns of another one, up to the end of a turn. Gives it unopened. */
export async function forkThread(
  { config, world, originator, provider }: ForkParts,
  thread: string,
  at: number | string | undefined,
): Promise<{ readonly id: string; readonly path: string }> {
  const from = await resolveThread(config.home, thread);
  const id = world.uuid();
  const now = world.now();
  const path = rolloutPath(config.home, id, localTime(now, config.timezone));
  const meta = (parent: RolloutMeta): SessionMeta => ({
    id,
    session_id: id,
    forked_from_id: from.id,
    timestamp: new Date(now).toISOString(),
    cwd: config.cwd,
    originator,
    cli_version: OXBOW_VERSION,
    source: 'exec',
    model_provider: provider.id,
    ...instructionsOf(parent),
    history_mode: 'legacy',
    oxbow_format: ROLLOUT_FORMAT,
  });
  await forkRollout({ home: config.home, from, at: at ?? null, path, now, meta });
  return { id, path };
}

/** The prefix of its requests stays that of its parent. */
function instructionsOf({ base_instructions }: RolloutMeta): Pick<SessionMeta, 'base_instructions'> {
  const text = isRecord(base_instructions) ? base_instructions.text : undefined;
  return typeof text === 'string' ? { base_instructions: { text } } : {};
}
