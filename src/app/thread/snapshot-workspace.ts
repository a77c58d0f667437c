import { lazy } from '../../base/lazy.ts';
import type { ThreadCatalogue } from '../../base/thread-store.ts';
import type { World } from '../../base/world.ts';
import { findUserFolder } from '../../config/home.ts';
import type { Config } from '../../config/load-config.ts';
import type { WorkspaceSnapshot } from '../../engine/turn-setup.ts';
import { type KeptSnapshot, keepWorkspace } from '../../exec/snapshot/snapshot-workspace.ts';
import { tidySnapshots } from '../../exec/snapshot/tidy-snapshots.ts';
import { LEFT_REASONS } from '../../exec/snapshot/tree.ts';

export interface SnapshotterParts {
  readonly config: Config;
  readonly world: World;
  readonly store: ThreadCatalogue;
}

const TIDY_MS = 2000;
const MOST_NAMED = 3;

/**
 * Returns the function that takes snapshots of a thread's workspace. It warns once for each reason why something was
 * not kept.
 */
export function createSnapshotter(
  { config, world, store }: SnapshotterParts,
  thread: string,
  onWarning: (message: string) => void,
): (signal: AbortSignal) => Promise<WorkspaceSnapshot> {
  const { home, cwd, project, env, snapshots, policy } = config;
  const { now } = world;
  const warned = new Set<string>();
  const warnOnce = (message: string) => {
    if (!warned.has(message)) onWarning(message);
    warned.add(message);
  };
  return async (signal) => {
    const kept = await keepWorkspace({
      workspace: {
        root: project.root ?? cwd,
        isRepository: project.root !== null,
        barred: policy.sandbox.denyRead ?? [],
        env,
        untrustedFolders: [project.root ?? cwd, ...policy.sandbox.writableRoots],
      },
      home,
      userFolder: findUserFolder(env),
      limits: snapshots,
      timeoutMs: snapshots.timeoutMs,
      thread,
      now,
      signal,
    });
    // Runs in the background. Snapshots that are not tidied in time are tidied later.
    void tidySnapshots({ home, keepDays: snapshots.keepDays, hasThread: knownThreads(store), now, timeoutMs: TIDY_MS });
    if ('reason' in kept) {
      warnOnce(`The workspace was not kept: ${kept.reason}. What this turn changes cannot be restored.`);
      return kept;
    }
    if (kept.leftOut.length > 0) warnOnce(leftOutText(kept));
    return { tree: kept.name };
  };
}

function leftOutText({ leftOut }: KeptSnapshot): string {
  const named = leftOut.slice(0, MOST_NAMED).map(({ path, reason }) => `${path} (${LEFT_REASONS[reason]})`);
  const more = leftOut.length > MOST_NAMED ? ` and ${leftOut.length - MOST_NAMED} more` : '';
  return `The snapshot of the workspace leaves out ${named.join(', ')}${more}.`;
}

/** Returns the check whether a thread exists, archived or not. The first check reads the ids. */
function knownThreads(store: ThreadCatalogue): (id: string) => Promise<boolean> {
  const ids = lazy(() => threadIds(store));
  return async (id) => (await ids()).has(id);
}

async function threadIds(store: ThreadCatalogue): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const id of store.ids()) ids.add(id);
  return ids;
}
