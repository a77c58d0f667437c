import type { Environment } from '../../base/environment.ts';
import { lazy, lazyMethods } from '../../base/lazy.ts';
import type { OwnEnvironment } from './own-environment.ts';

/**
 * Counts of the warm environments of an agent. A warm environment has a process that waits for a command. An idle process is
 * most of the memory of a thread, and an agent may have a thousand threads.
 */
export interface WarmUpCounts {
  /** Environments that are warm now. */
  warm: number;
  /** Environments in a row that were warmed up and got no command. */
  unused: number;
}

const MAX_WARM = 16;
const MAX_UNUSED = 4;

/**
 * Returns an environment that decides at `prepare` whether to warm up. The environment itself is loaded by its warm-up or
 * by its first use: the first request goes out before any code for processes and sandboxes is loaded.
 */
export function environmentWithWarmUp(load: () => Promise<Environment>, counts: WarmUpCounts): OwnEnvironment {
  let loaded: Environment | undefined;
  /** The last attempt to load, which may still be under way. */
  let opening: Promise<Environment> | undefined;
  let closed: Promise<void> | undefined;
  let isWarm = false;
  let isUsed = false;

  const get = lazy(async () => {
    opening = load();
    loaded = await opening;
    return loaded;
  });

  function setWarm(warm: boolean): void {
    if (isWarm === warm) return;
    isWarm = warm;
    counts.warm += warm ? 1 : -1;
    if (warm) isUsed = false;
    else if (!isUsed) counts.unused += 1;
  }

  const isWorthIt = () => isWarm || (counts.warm < MAX_WARM && counts.unused < MAX_UNUSED);

  return {
    prepare(policy) {
      if (closed || !isWorthIt()) return;
      setWarm(true);
      get().then(
        (environment) => {
          // The turn may have ended meanwhile. Its environment rests, and must not keep a process.
          if (isWarm) environment.prepare(policy);
        },
        // A failure shows when a command needs the environment.
        () => {},
      );
    },
    async open(action, options) {
      setWarm(true);
      isUsed = true;
      counts.unused = 0;
      return (await get()).open(action, options);
    },
    terminal: (id) => loaded?.terminal(id),
    files: (policy) => lazyMethods(async () => (await get()).files(policy), ['locate', 'read', 'isInGit', 'change']),
    findUntrusted: async (program, login, policy) => (await get()).findUntrusted?.(program, login, policy),
    refusedHosts: () => loaded?.refusedHosts?.() ?? [],
    rest() {
      setWarm(false);
      loaded?.rest();
    },
    close() {
      closed ??= Promise.resolve(opening?.catch(() => undefined)).then((environment) => environment?.close());
      setWarm(false);
      return closed;
    },
  };
}
