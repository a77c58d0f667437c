import type { Environment, Files } from '../../base/environment.ts';
import { type Lazy, lazy } from '../../base/lazy.ts';
import type { OwnEnvironment } from './own-environment.ts';

/**
 * Whether ready are worth making ready before they are asked for: a process that waits for a command which never comes would be
 * most of what a thread takes, and an agent may have a thousand threads.
 */
export interface ReadyCount {
  /** How many environments have something waiting for a command. */
  count: number;
  /** How many in a row waited in vain. */
  inVain: number;
}

const MOST_READY = 16;
const MOST_IN_VAIN = 4;

/**
 * An environment that is loaded when it is first prepared or used: the first request goes out before anything about
 * processes and sandboxes was loaded.
 */
export function lazyEnvironment(load: () => Promise<Environment>, ready: ReadyCount): OwnEnvironment {
  let loaded: Environment | undefined;
  /** The last attempt to make it, which may still be under way. */
  let opening: Promise<Environment> | undefined;
  let closed: Promise<void> | undefined;
  let counted = false;
  let used = false;

  const get = lazy(async () => {
    opening = load();
    loaded = await opening;
    return loaded;
  });

  function count(isReady: boolean): void {
    if (counted === isReady) return;
    counted = isReady;
    ready.count += isReady ? 1 : -1;
    if (isReady) used = false;
    else if (!used) ready.inVain += 1;
  }

  const isWorthIt = () => counted || (ready.count < MOST_READY && ready.inVain < MOST_IN_VAIN);

  return {
    prepare(policy) {
      if (closed || !isWorthIt()) return;
      count(true);
      // A failure shows when a command needs the environment.
      get().then(
        (environment) => environment.prepare(policy),
        () => {},
      );
    },
    async open(action, options) {
      count(true);
      used = true;
      ready.inVain = 0;
      return (await get()).open(action, options);
    },
    terminal: (id) => loaded?.terminal(id),
    files: (policy) => lazyFiles(async () => (await get()).files(policy)),
    refusedHosts: () => loaded?.refusedHosts?.() ?? [],
    rest() {
      count(false);
      loaded?.rest();
    },
    close() {
      closed ??= Promise.resolve(opening?.catch(() => undefined)).then((environment) => environment?.close());
      count(false);
      return closed;
    },
  };
}

function lazyFiles(load: Lazy<Files>): Files {
  return {
    locate: async (path) => (await load()).locate(path),
    read: async (path) => (await load()).read(path),
    isInGit: async (path) => (await load()).isInGit(path),
    change: async (changes, options) => (await load()).change(changes, options),
  };
}
