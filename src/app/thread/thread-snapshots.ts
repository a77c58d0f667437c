import { lazy } from '../../base/lazy.ts';
import type { Log } from '../../base/log.ts';
import type { ThreadSetup } from '../../engine/turn-setup.ts';
import type { AgentParts, ThreadOptions } from '../agent-parts.ts';
import type { ThreadMcp } from '../servers.ts';
import { type BackgroundSnapshots, createBackgroundSnapshots } from './background-snapshots.ts';
import { warnAs } from './warn-as.ts';

/** The way in which the workspace of a thread is kept. */
export interface ThreadSnapshots {
  /** Takes a snapshot of the workspace before a turn changes it. */
  readonly take: NonNullable<ThreadSetup['snapshotWorkspace']>;
  /** Present if snapshots begin with the turn. */
  readonly background?: BackgroundSnapshots;
}

/** Returns how the workspace of a thread is kept, or undefined if it is not. */
export function snapshotsOf(
  parts: AgentParts,
  id: string,
  log: Log,
  { snapshots }: ThreadOptions,
  emit: ThreadSetup['emit'],
): ThreadSnapshots | undefined {
  const { config } = parts;
  const when = snapshots ?? (config.snapshots.enabled ? 'on-change' : 'off');
  if (when === 'off' || !config.usesHome || !log.durable) return undefined;
  const onWarning = warnAs(emit, 'snapshot');
  const snapshot = lazy(async () => (await import('./snapshot-workspace.ts')).createSnapshotter(parts, id, onWarning));
  const take: ThreadSnapshots['take'] = async (signal) => (await snapshot())(signal);
  if (when === 'on-change') return { take };
  const background = createBackgroundSnapshots(take);
  return { take: background.take, background };
}

/** Returns an environment that starts servers and snapshots while the model works on its answer. */
export function accompanied(
  environment: ThreadSetup['environment'],
  mcp: ThreadMcp | undefined,
  snapshots: BackgroundSnapshots | undefined,
): ThreadSetup['environment'] {
  return {
    ...environment,
    prepare(policy) {
      // The model is working on its answer, so that this delays no request.
      mcp?.begin();
      snapshots?.begin();
      environment.prepare(policy);
    },
    rest() {
      snapshots?.end();
      environment.rest();
    },
    async close() {
      snapshots?.end();
      await environment.close();
      await snapshots?.idle();
    },
  };
}
