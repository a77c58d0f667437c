import { chooseThread } from '../base/choose-thread.ts';
import { LostThread, UserError } from '../base/errors.ts';
import type { Log, LogLine } from '../base/log.ts';
import { noThread } from '../base/no-thread.ts';
import { unknownCursor } from '../base/read-back.ts';
import type { PlacedLine, StoredLine, ThreadStore, ThreadSummary } from '../base/thread-store.ts';
import { forkLines } from '../log/fork-lines.ts';
import { lineHead } from '../log/line-head.ts';
import { decodeLine, encodeLine } from '../log/rollout-line.ts';
import { fitsQuery, threadFacts } from '../log/thread-facts.ts';
import { createMemoryLog, type MemoryLines } from './memory-log.ts';

/** Options of `createMemoryStore`. */
export interface MemoryStoreOptions {
  /** Returns milliseconds since 1970. The clock of the system by default. */
  now?(): number;
  /**
   * Whether to keep every line. Without it, a thread keeps only the lines that it needs to continue, and its memory
   * does not grow. Turns before its last compaction can then not be shown, counted, forked or replayed.
   */
  readonly keepAll?: boolean;
}

/** A store in the memory of this process. Every log that it returns is an owner of its own. */
export interface MemoryStore extends ThreadStore {
  /** Ends the hold of a thread's owner, as if the owner had been silent for too long. */
  evict(id: string): void;
}

/** Returns a store that keeps threads as long as the process lives. */
export function createMemoryStore({ now = Date.now, keepAll = false }: MemoryStoreOptions = {}): MemoryStore {
  const threads = new Map<string, MemoryThread>();
  const get = (id: string): MemoryThread => {
    const thread = threads.get(id);
    if (!thread) throw noThread(id, LABEL);
    return thread;
  };
  const newThread = (id: string): MemoryThread => ({
    ...{ id, name: null, archived: false, held: false },
    owner: new AbortController(),
    lines: { kept: [], next: 0, changedAt: now() },
  });
  const logOf = (thread: MemoryThread, lost: AbortSignal) =>
    createMemoryLog({ label: labelOf(thread), lines: thread.lines, now, encode, keepAll, lost });
  async function* read(id: string): AsyncGenerator<StoredLine, void, undefined> {
    yield* storedLines(get(id));
  }

  return {
    label: LABEL,
    read,
    async *readBack(id, before) {
      yield* linesBefore(get(id), before);
    },
    create(id) {
      const thread = newThread(id);
      return own(thread, logOf, () => threads.set(id, thread));
    },
    async take(id) {
      const thread = get(id);
      if (thread.archived) throw new UserError('not_found', `The thread ${id} is archived. Unarchive it first.`);
      refuseWhileHeld(thread);
      return { log: own(thread, logOf), lines: read(id), notes: [] };
    },
    async fork(id, at, meta) {
      const thread = newThread(meta.id);
      const copied = forkLines({ read: () => read(id), at, meta, now: now() });
      for await (const bytes of copied) thread.lines.kept.push({ line: decodeLine(bytes.toString('utf8')), bytes });
      thread.lines.next = thread.lines.kept.length;
      threads.set(meta.id, thread);
    },
    async delete(id) {
      refuseWhileHeld(get(id));
      threads.delete(id);
    },
    evict(id) {
      get(id).held = false;
    },
    ...lookupMethods(threads),
    ...threadMethods(get),
  };
}

/** Returns the methods that find threads. */
function lookupMethods(
  threads: ReadonlyMap<string, MemoryThread>,
): Pick<ThreadStore, 'find' | 'list' | 'ids' | 'last'> {
  const newestFirst = () => [...threads.values()].reverse();
  return {
    find: async (reference) => {
      const { id, archived } = await chooseThread(reference, newestFirst(), LABEL);
      return { id, archived };
    },
    async *list(query = {}) {
      let left = query.limit ?? Number.POSITIVE_INFINITY;
      for (const thread of newestFirst()) {
        if (left <= 0) return;
        const summary = await summaryOf(thread);
        if (!fitsQuery(summary, query)) continue;
        left--;
        yield summary;
      }
    },
    async *ids() {
      yield* threads.keys();
    },
    async last(cwd) {
      for (const thread of newestFirst()) {
        if (!thread.archived && (cwd === null || (await summaryOf(thread)).cwd === cwd)) return thread.id;
      }
      return null;
    },
  };
}

/** Returns the methods that describe or change one thread. */
function threadMethods(
  get: (id: string) => MemoryThread,
): Pick<ThreadStore, 'describe' | 'rename' | 'archive' | 'unarchive' | 'holder'> {
  return {
    describe: async (id) => summaryOf(get(id)),
    async rename(id, name) {
      get(id).name = name;
    },
    async archive(id) {
      const thread = get(id);
      if (thread.archived) throw new UserError('nothing_to_do', `The thread ${id} is archived already.`);
      refuseWhileHeld(thread);
      thread.archived = true;
    },
    async unarchive(id) {
      const thread = get(id);
      if (!thread.archived) throw new UserError('nothing_to_do', `The thread ${id} is not archived.`);
      thread.archived = false;
    },
    holder: async (id) => (get(id).held ? { label: 'this process' } : null),
  };
}

const LABEL = 'memory';

interface MemoryThread {
  readonly id: string;
  readonly lines: MemoryLines;
  name: string | null;
  archived: boolean;
  /** Whether the last owner still has the thread. */
  held: boolean;
  /** Aborted when the last owner has lost the thread. */
  owner: AbortController;
}

/** Makes a new owner of a thread. Notifies the owner before, if it still believes to have the thread. */
function own(
  thread: MemoryThread,
  logOf: (thread: MemoryThread, lost: AbortSignal) => Log,
  begin: () => void = () => {},
): Log {
  const owner = new AbortController();
  thread.owner.abort(new LostThread(`The thread ${thread.id} was taken over by another part of this process.`));
  thread.owner = owner;
  thread.held = true;
  const log = logOf(thread, owner.signal);
  return {
    ...log,
    async append(lines) {
      await log.append(lines);
      if (lines.length > 0) begin();
    },
    async close() {
      if (thread.owner === owner) thread.held = false;
    },
  };
}

function refuseWhileHeld({ id, held }: MemoryThread): void {
  if (held)
    throw new UserError(
      'in_use',
      `The thread ${id} is open in this process already. Close that one first, or fork the thread.`,
    );
}

const labelOf = ({ id }: MemoryThread) => `the thread ${id}`;

async function* storedLines(thread: MemoryThread): AsyncGenerator<StoredLine, void, undefined> {
  // A copy, because the owner may append meanwhile.
  const kept = [...thread.lines.kept];
  const label = labelOf(thread);
  for (const [index, line] of kept.entries()) yield { label, number: index + 1, bytes: line.bytes };
}

/** Yields lines from the last on. A cursor is an ordinal, because lines that are no longer needed are dropped. */
function* linesBefore(thread: MemoryThread, before: string | undefined): Generator<PlacedLine, void, undefined> {
  const end = before === undefined ? Number.POSITIVE_INFINITY : Number(before);
  if (Number.isNaN(end)) throw unknownCursor(before);
  const label = labelOf(thread);
  const placed = thread.lines.kept.map(({ bytes }, index) => ({
    line: { label, number: index + 1, bytes },
    ordinal: lineHead(bytes, 0, bytes.length)?.ordinal ?? index,
  }));
  for (const { line, ordinal } of placed.reverse()) if (ordinal < end) yield { ...line, cursor: String(ordinal) };
}

function encode(line: LogLine, ordinal: number, time: number): Buffer {
  return Buffer.from(encodeLine(line, ordinal, time));
}

async function summaryOf(thread: MemoryThread): Promise<ThreadSummary> {
  const { id, name, archived, lines } = thread;
  const facts = await threadFacts(storedLines(thread));
  const bytes = lines.kept.reduce((sum, line) => sum + line.bytes.length, 0);
  const changedAt = new Date(lines.changedAt).toISOString();
  return {
    ...(facts ?? {
      preview: null,
      cwd: null,
      startedAt: changedAt,
      source: null,
      provider: null,
      model: null,
      forkedFrom: null,
      metadata: {},
    }),
    ...{ id, name, archived, changedAt, bytes },
    label: labelOf(thread),
    path: null,
    note: facts ? null : 'Its first line does not say what thread it is.',
  };
}
