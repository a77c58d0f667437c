import { chooseThread } from '../../base/choose-thread.ts';
import { UserError } from '../../base/errors.ts';
import { lazyIterable } from '../../base/lazy-iterable.ts';
import type { StoredLine, ThreadCatalogue } from '../../base/thread-store.ts';
import { forkLines } from '../../log/fork-lines.ts';
import { type RolloutFile, rolloutFiles } from '../lines/rollout-files.ts';
import { unpackRollout } from '../lines/unpack-rollout.ts';
import { writeRollout } from '../lines/write-rollout.ts';
import { threadHolder } from '../lock/thread-holder.ts';
import { archiveThread, unarchiveThread } from './archive-thread.ts';
import { deleteThread } from './delete-thread.ts';
import { describeRollout, listThreads } from './list-threads.ts';
import { readThread, readThreadBack, readThreadBlocks } from './read-thread.ts';
import type { RolloutLocator } from './rollout-locator.ts';
import { addName, readNames } from './thread-names.ts';

/** Returns the part of a rollout store that is needed neither to create nor to resume a thread. */
export function createRolloutCatalogue(locator: RolloutLocator): ThreadCatalogue {
  const { home, now, locate, remember } = locator;

  const pathOf = async (id: string) => unpackRollout((await locate(id)).path);
  const read = (id: string) => lazyIterable(async () => readThread(home, await pathOf(id)));

  return {
    label: home,
    last: locator.last,
    read,
    readBlocks: (id) => lazyIterable(async () => readThreadBlocks(home, await pathOf(id))),
    readBack: (id, before) => lazyIterable(async () => readThreadBack(home, await pathOf(id), before)),
    async find(reference) {
      const { file } = await chooseThread(reference, namedFiles(home), home);
      const { id, archived } = remember(file);
      return { id, archived };
    },
    async describe(id) {
      const file = await locate(id);
      const thread = describeRollout(home, file);
      if (!thread) throw new UserError('not_found', `The thread ${id} is gone: ${file.path} was moved or deleted.`);
      return thread;
    },
    async *list(query) {
      for await (const { file, thread } of listThreads(home, query)) {
        remember(file);
        yield thread;
      }
    },
    async *ids() {
      for await (const { id } of allFiles(home)) yield id;
    },
    async fork(id, at, meta) {
      await locate(id);
      const file = locator.newFile(meta.id);
      await writeRollout(file.path, forkLines({ read: () => read(id), at, meta, now: now() }));
      remember(file);
    },
    async rename(id, name) {
      await locate(id);
      addName(home, id, name, now());
    },
    async archive(id) {
      archiveThread(home, await locate(id), now());
    },
    async unarchive(id) {
      unarchiveThread(home, await locate(id), now());
    },
    delete: async (id) => deleteThread(home, await locate(id)),
    async holder(id) {
      await locate(id);
      const holder = threadHolder(home, id);
      return holder ? { label: `process ${holder.pid}` } : null;
    },
  };
}

/**
 * Opens a rollout file in any folder. Unpacks a compressed file first. Throws `UserError` if the file cannot be
 * unpacked.
 */
export async function openRolloutFile(
  home: string,
  path: string,
): Promise<{ readonly path: string; read(): AsyncIterable<StoredLine> }> {
  const unpacked = await unpackRollout(path);
  return { path: unpacked, read: () => readThread(home, unpacked) };
}

async function* namedFiles(home: string) {
  const names = readNames(home);
  for await (const file of allFiles(home)) yield { id: file.id, name: names.get(file.id), file };
}

async function* allFiles(home: string): AsyncGenerator<RolloutFile, void, undefined> {
  yield* rolloutFiles(home, 'active');
  yield* rolloutFiles(home, 'archived');
}
