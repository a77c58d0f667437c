import type { ThreadSetup, WorkspaceSnapshot } from '../../engine/turn-setup.ts';

type TakeSnapshot = NonNullable<ThreadSetup['snapshotWorkspace']>;

/** Snapshots that begin with a turn, so that the first change of the turn waits less or not at all. */
export interface BackgroundSnapshots {
  /** Begins the snapshot of the turn, unless it has begun. */
  begin(): void;
  /** Waits for the snapshot of the turn. */
  readonly take: TakeSnapshot;
  /** Ends the turn. A snapshot that nothing has waited for is given up. */
  end(): void;
  /** Resolves when no snapshot is being taken. */
  idle(): Promise<void>;
}

export function createBackgroundSnapshots(take: TakeSnapshot): BackgroundSnapshots {
  let begun: { readonly stop: AbortController; readonly taken: Promise<WorkspaceSnapshot> } | undefined;
  let working: Promise<unknown> = Promise.resolve();

  function beginOnce(): NonNullable<typeof begun> {
    if (begun) return begun;
    const stop = new AbortController();
    // Two snapshots at once would wait for the same lock.
    const taken = working.then(() => take(stop.signal));
    working = taken.catch(() => {});
    begun = { stop, taken };
    return begun;
  }

  return {
    begin: () => void beginOnce(),
    async take(signal) {
      const { stop, taken } = beginOnce();
      const giveUp = () => stop.abort(signal.reason);
      if (signal.aborted) giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        return await taken;
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
    },
    end() {
      begun?.stop.abort(new Error('The turn has ended.'));
      begun = undefined;
    },
    async idle() {
      await working;
    },
  };
}
