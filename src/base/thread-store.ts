import type { Log, SessionMeta } from './log.ts';

/**
 * Keeps threads: their lines, their names, and who may write to them. Files are one store, memory another; a database can
 * be a third. A store object stands for one owner, such as a process. Methods that take an id throw `UserError` when there
 * is no such thread. `storeConformance` of `oxbow/testing` tests all that is promised here.
 */
export interface ThreadStore extends ThreadCatalogue {
  /**
   * Begins a thread under a new id. Nothing is stored or looked up before its first line. From that line on the thread
   * belongs to this owner until its log is closed.
   */
  create(id: string): Log;
  /**
   * Takes a thread for this owner until its log is closed. Throws `UserError` while another owner has it, and when it is
   * archived. An owner that ended without closing its log, or that was not heard of for long enough, no longer has it: taking
   * the thread then makes every later append of that owner throw `LostThread`.
   */
  take(id: string): Promise<TakenThread>;
}

/** The part of a store that needs no owner. */
export interface ThreadCatalogue {
  /** Names the store to a person: a folder, a database. */
  readonly label: string;
  /**
   * Reads all lines of a thread from the first, without taking it. Its owner may go on writing: the lines that had been kept
   * when reading began are there, and no half of a group.
   */
  read(id: string): AsyncIterable<StoredLine>;
  /**
   * Finds the thread that a person means by its id, by the first characters of its id (at least 4), or by its name. Archived
   * threads are found too. Throws `UserError` when there is none, or when it may be several.
   */
  find(reference: string): Promise<FoundThread>;
  /** Describes a thread as a list shows it. */
  describe(id: string): Promise<ThreadSummary>;
  /** Lists threads, the newest first by the time they began. Looks at each thread when it is asked for. */
  list(query?: ThreadQuery): AsyncIterable<ThreadSummary>;
  /** Returns the ids of all threads, archived ones too, in any order. */
  ids(): AsyncIterable<string>;
  /** Returns the id of the newest thread that is not archived: of a folder, or of any for null. Null when there is none. */
  last(cwd: string | null): Promise<string | null>;
  /**
   * Makes a thread that begins with the turns of another, up to the end of a turn: its number from 1 or its id, or null for
   * all. `meta` is its first line and names its id. The other thread is only read and may be running. The new one belongs to
   * no owner yet. `forkLines` of `oxbow/store` returns its lines.
   */
  fork(id: string, at: number | string | null, meta: SessionMeta): Promise<void>;
  /** Gives a thread a name, in the place of the one it had. Two threads may have the same. */
  rename(id: string, name: string): Promise<void>;
  /** Puts a thread away. Throws `UserError` when it is archived already, or while an owner has it. */
  archive(id: string): Promise<void>;
  /** Takes a thread back from the archive. Throws `UserError` when it is not there. */
  unarchive(id: string): Promise<void>;
  /** Deletes a thread and its name for good. Throws `UserError` while an owner has it. */
  delete(id: string): Promise<void>;
  /** Returns who has a thread, this owner included; null when none does. */
  holder(id: string): Promise<ThreadHolder | null>;
}

/** A thread that belongs to this owner now. */
export interface TakenThread {
  readonly log: Log;
  /**
   * Lines from which the same state folds as from all of them, in their order. Read them once, before the first append. All
   * lines will do. Shorter and as good: the first line, the last `turn_context` line before the last `compacted` line that
   * follows on a `checkpoint` line, and everything from that checkpoint on.
   */
  readonly lines: AsyncIterable<StoredLine>;
  /** Sentences that the user should read. Complete once the lines were read. */
  readonly notes: readonly string[];
}

/** One line of a thread as its store keeps it, and where it stands there. */
export interface StoredLine {
  /** Names the place to a person: the path of a file, or the thread. Lines that a fork only points to stand in another one. */
  readonly label: string;
  /** Counts the lines of that place from 1. */
  readonly number: number;
  /**
   * The line as JSON text in UTF-8, with its time and ordinal, without a line feed. The bytes may be overwritten once the
   * next line is asked for.
   */
  readonly bytes: Buffer;
}

/** A thread that a reference led to. */
export interface FoundThread {
  readonly id: string;
  readonly archived: boolean;
}

/** The owner that has a thread open. */
export interface ThreadHolder {
  /** Names the owner within a sentence, such as `process 4711`. */
  readonly label: string;
}

/** A thread as a list shows it. */
export interface ThreadSummary {
  readonly id: string;
  /** The name that the user gave it. */
  readonly name: string | null;
  /** The beginning of what the user said first, on one line. */
  readonly preview: string | null;
  /** The folder it worked in; null where that cannot be read. */
  readonly cwd: string | null;
  /** When it began, as ISO text; the local day where no more can be read. */
  readonly startedAt: string;
  /** When its last line was written, as ISO text. */
  readonly changedAt: string;
  /** The length of its lines. */
  readonly bytes: number;
  /** The surface that started it, such as `exec` or `cli`. */
  readonly source: string | null;
  readonly provider: string | null;
  /** The model of its first turn. */
  readonly model: string | null;
  /** The thread that it was forked from. */
  readonly forkedFrom: string | null;
  readonly archived: boolean;
  /** Names the place of its lines to a person. */
  readonly label: string;
  /** The path of its file; null where it is not kept in one. */
  readonly path: string | null;
  /** A sentence about what is wrong with its lines; null when nothing is. */
  readonly note: string | null;
}

export interface ThreadQuery {
  /** Only those in the archive; without it, only those outside. */
  readonly archived?: boolean;
  /** Only those of this folder, and damaged ones, whose folder is not known. */
  readonly cwd?: string;
  /** Only those with this text in name, preview, folder or id, whatever its case. */
  readonly search?: string;
  /** Only those with lines written since then, in milliseconds since 1970. */
  readonly changedSince?: number;
  /** The most that are listed. */
  readonly limit?: number;
}
