import { blocksOf } from '../base/each-line.ts';
import { UserError } from '../base/errors.ts';
import { type Lazy, lazy, lazyMethods } from '../base/lazy.ts';
import { lazyIterable } from '../base/lazy-iterable.ts';
import { readBack } from '../base/read-back.ts';
import type { ThreadCatalogue, ThreadStore } from '../base/thread-store.ts';
import type { LineGate } from '../log/rollout-line.ts';
import { createRolloutLocator, type LocatorOptions, type RolloutLocator } from './catalogue/rollout-locator.ts';
import { createOpenFiles } from './lines/open-files.ts';
import { openRolloutLog } from './lines/rollout-log.ts';

export interface RolloutStoreOptions extends LocatorOptions {
  /** Decides which lines can be used. */
  readonly gate: LineGate;
  /** Loads the part that is needed neither to create nor to resume a thread. */
  readonly catalogue: Lazy<(locator: RolloutLocator) => ThreadCatalogue>;
}

/** Returns a store that keeps each thread as a rollout file below the home, with the names and the format of Codex. */
export function createRolloutStore(options: RolloutStoreOptions): ThreadStore {
  const { home, now, gate } = options;
  const locator = createRolloutLocator(options);
  const catalogue = lazy(async () => (await options.catalogue())(locator));
  const openFiles = createOpenFiles();
  const openLog = (id: string, path: string) => openRolloutLog({ home, id, path, now, gate, openFiles });
  return {
    label: home,
    create: (id) => openLog(id, locator.newFile(id).path).log,
    async take(id) {
      const { path, archived } = await locator.locate(id);
      if (archived) throw new UserError('not_found', `The thread ${id} is archived. Unarchive it first.`);
      const { log, notes, take, lines } = openLog(id, path);
      take();
      return { log, notes, lines: lines() };
    },
    async find(reference) {
      // Complete ids are the common case and need nothing more to be loaded.
      const file = await locator.findActive(reference);
      return file ? { id: file.id, archived: file.archived } : (await catalogue()).find(reference);
    },
    last: locator.last,
    read: (id) => lazyIterable(async () => (await catalogue()).read(id)),
    readBlocks: (id) => lazyIterable(async () => blocksOf(await catalogue(), id)),
    readBack: (id, before) => lazyIterable(async () => readBack(await catalogue(), id, before)),
    list: (query) => lazyIterable(async () => (await catalogue()).list(query)),
    ids: () => lazyIterable(async () => (await catalogue()).ids()),
    ...lazyMethods(catalogue, ['describe', 'fork', 'rename', 'archive', 'unarchive', 'delete', 'holder']),
  };
}
