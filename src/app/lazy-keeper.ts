import type { ThreadSetup } from '../engine/turn-setup.ts';
import type { KeeperParts } from './keeper.ts';
import { loadLate } from './load-late.ts';

type Keep = NonNullable<ThreadSetup['keepWorkspace']>;

/** Keeps the workspace before the turns of a thread change it. Loaded with the first of these. */
export function lazyKeeper(parts: KeeperParts, threadId: string, onWarning: (message: string) => void): Keep {
  let keeper: Promise<Keep> | undefined;
  return async (signal) => {
    keeper ??= loadLate().then(({ createKeeper }) => createKeeper(parts, threadId, onWarning));
    return (await keeper)(signal);
  };
}
