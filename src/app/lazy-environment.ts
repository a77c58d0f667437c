import type { OwnEnvironment } from './own-environment.ts';

/**
 * An environment that is loaded when it is first prepared or used: the first request goes out before anything about
 * processes and sandboxes was loaded.
 */
export function lazyEnvironment(load: () => Promise<OwnEnvironment>): OwnEnvironment {
  let loading: Promise<OwnEnvironment> | undefined;
  let loaded: OwnEnvironment | undefined;
  let closed = false;

  function get(): Promise<OwnEnvironment> {
    loading ??= load().then((environment) => {
      loaded = environment;
      return environment;
    });
    return loading;
  }

  return {
    prepare() {
      if (!closed) void get().then((environment) => environment.prepare());
    },
    open: async (action, options) => (await get()).open(action, options),
    terminal: (id) => loaded?.terminal(id),
    files: {
      locate: async (path) => (await get()).files.locate(path),
      read: async (path) => (await get()).files.read(path),
      isInGit: async (path) => (await get()).files.isInGit(path),
      change: async (changes, options) => (await get()).files.change(changes, options),
    },
    refusedHosts: () => loaded?.refusedHosts() ?? [],
    async close() {
      closed = true;
      await (await loading)?.close();
    },
  };
}
