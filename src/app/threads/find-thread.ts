import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import { noThread } from '../../base/no-thread.ts';
import type { FoundThread, ThreadCatalogue, ThreadStore } from '../../base/thread-store.ts';

/**
 * A reference to a thread. A string is a whole id, so that text from outside opens no other thread. The other ways are
 * explicit: at least 4 first characters of an id, a name, or a text of a person that may be any of the three.
 *
 * @example
 * await agent.resumeThread('0192f0c1-7d3e-7a54-9a3b-2f6f0d7c1e55');
 * await agent.resumeThread({ name: 'slow parser' });
 */
export type ThreadReference =
  | string
  | { readonly prefix: string }
  | { readonly name: string }
  | { readonly text: string };

/** Finds a thread of a store. Throws `UserError` if no thread or more than one fits, or if nothing is named. */
export async function findThread(store: ThreadCatalogue, reference: ThreadReference): Promise<FoundThread> {
  const { text, fits } = readReference(reference, store);
  const found = await findText(store, text, typeof reference === 'string');
  if (!(await fits(found.id))) throw noThread(text, store.label);
  return found;
}

/** Returns the id of a thread that can be resumed. Throws `UserError` as `findThread` does, and for an archived thread. */
export async function findUsableThread(store: ThreadCatalogue, reference: ThreadReference): Promise<string> {
  const { id, archived } = await findThread(store, reference);
  if (!archived) return id;
  throw new UserError('not_found', `The thread ${id} is archived.`, {
    remedy: { type: 'unarchive_thread', thread: id },
  });
}

/** Returns the id of the newest thread of a folder, or of any folder. Throws `UserError` when there is none. */
export async function lastThread(store: ThreadStore, cwd: string | null): Promise<string> {
  const id = await store.last(cwd);
  if (id !== null) return id;
  if (cwd === null) throw new UserError('not_found', `There is no thread of ${store.label}.`);
  throw new UserError('not_found', `There is no thread of ${cwd}.`, { remedy: { type: 'search_all_folders' } });
}

interface ReadReference {
  readonly text: string;
  /** Reports whether the found thread is named in the way that the reference asks for. */
  fits(id: string): boolean | Promise<boolean>;
}

function readReference(reference: ThreadReference, store: ThreadCatalogue): ReadReference {
  if (typeof reference === 'string') return { text: nonEmpty(reference), fits: (id) => id === reference };
  const { prefix, name, text } = (isRecord(reference) ? reference : {}) as Readonly<Record<string, unknown>>;
  if (prefix !== undefined) return { text: nonEmpty(prefix), fits: (id) => id.startsWith(String(prefix)) };
  if (name !== undefined) return { text: nonEmpty(name), fits: async (id) => (await store.describe(id)).name === name };
  return { text: nonEmpty(text), fits: () => true };
}

function nonEmpty(text: unknown): string {
  if (typeof text === 'string' && text !== '') return text;
  throw new UserError('invalid_input', 'No thread is named: give its id, { prefix }, { name } or { text }.');
}

async function findText(store: ThreadCatalogue, text: string, isId: boolean): Promise<FoundThread> {
  try {
    return await store.find(text);
  } catch (error) {
    // Several threads whose ids begin with the text: it is not an id itself.
    if (isId && error instanceof UserError && error.code === 'invalid_input') throw noThread(text, store.label);
    throw error;
  }
}
