import type { Log, SessionMeta } from './log.ts';

/**
 * A store keeps threads: their lines, their names, and who may write to them. Files are one store, memory is another,
 * and a database can be a third. A store object stands for one owner, such as a process. Methods that accept an id
 * throw `UserError` if no thread has it. `storeConformance` of `oxbow/testing` tests everything promised here.
 */
export interface ThreadStore extends ThreadCatalogue {
  /**
   * Begins a thread under a new id. Nothing is stored or looked up before its first line. From that line on the thread
   * belongs to this owner until its log is closed.
   */
  create(id: string): Log;
  /**
   * Takes a thread for this owner until its log is closed. Throws `UserError` while another owner has the thread, and
   * if the thread is archived. An owner loses the thread if it ended without closing its log, or gave no sign of life
   * for too long. Once the thread is taken, every later append of that owner throws `LostThread`.
   */
  take(id: string): Promise<TakenThread>;
}

/** The part of a store that needs no owner. */
export interface ThreadCatalogue {
  /** Name of the store for a person: a folder, a database. */
  readonly label: string;
  /**
   * Reads all lines of a thread from the first, without taking the thread. Its owner may keep writing. The reader gets
   * every line that was kept when reading began, and never a part of a group.
   */
  read(id: string): AsyncIterable<StoredLine>;
  /** Reads the same lines in blocks. A store has this method if it is faster than reading line by line. */
  readBlocks?(id: string): AsyncIterable<LineBlock>;
  /**
   * Reads the lines of a thread from the last to the first, or those before the line with this cursor. Lines that are
   * appended later do not change a cursor. A store has this method if it can begin at the end.
   */
  readBack?(id: string, before?: string): AsyncIterable<PlacedLine>;
  /**
   * Finds the thread that a person means by its id, by at least 4 first characters of its id, or by its name. Archived
   * threads are found too. Throws `UserError` if no thread or more than one fits.
   */
  find(reference: string): Promise<FoundThread>;
  /** Describes a thread as a list shows it. */
  describe(id: string): Promise<ThreadSummary>;
  /** Lists threads, the newest first by the time they began. Reads each thread only when it is requested. */
  list(query?: ThreadQuery): AsyncIterable<ThreadSummary>;
  /** Returns the ids of all threads, including archived ones, in any order. */
  ids(): AsyncIterable<string>;
  /**
   * Returns the id of the newest thread of a folder that is not archived, or null if there is none. A null folder means
   * any.
   */
  last(cwd: string | null): Promise<string | null>;
  /**
   * Makes a thread that begins with the turns of another, up to the end of a turn. `at` is the number of that turn from
   * 1, its id, or null for all turns. `meta` is the first line of the new thread and contains its id. The other thread
   * is only read, and may be running. The new thread has no owner yet. `forkLines` of `oxbow/store` returns its lines.
   */
  fork(id: string, at: number | string | null, meta: SessionMeta): Promise<void>;
  /** Names a thread, replacing its old name. Two threads may have the same name. */
  rename(id: string, name: string): Promise<void>;
  /** Archives a thread. Throws `UserError` if it is archived already, or while an owner has it. */
  archive(id: string): Promise<void>;
  /** Takes a thread out of the archive. Throws `UserError` if it is not archived. */
  unarchive(id: string): Promise<void>;
  /** Deletes a thread and its name for good. Throws `UserError` while an owner has it. */
  delete(id: string): Promise<void>;
  /** Returns the owner of a thread, which may be this one, or null if it has none. */
  holder(id: string): Promise<ThreadHolder | null>;
}

/** A thread that belongs to this owner now. */
export interface TakenThread {
  readonly log: Log;
  /**
   * Lines that fold to the same state as all lines, in their order. Read them once, before the first append. All lines
   * will do. A shorter sequence that is as good: the first line, the last `turn_context` line before the last
   * `compacted` line that follows a `checkpoint` line, and everything from that checkpoint on.
   */
  readonly lines: AsyncIterable<StoredLine>;
  /** Sentences that the user should read. Complete once the lines were read. */
  readonly notes: readonly string[];
}

/** One line of a thread as its store keeps it, with its position. */
export interface StoredLine {
  /**
   * Name of the place for a person: the path of a file, or the thread. Lines that a fork only points to have the label
   * of the other thread.
   */
  readonly label: string;
  /** Number of the line in that place, from 1. */
  readonly number: number;
  /**
   * The line as JSON text in UTF-8, with its time and ordinal, without a line feed. The bytes may be overwritten once
   * the next line is requested.
   */
  readonly bytes: Buffer;
}

/** A line that was read from the end. Its bytes stay valid. */
export interface PlacedLine extends StoredLine {
  /** Names the line, for reading the lines before it. */
  readonly cursor: string;
}

/** Consecutive lines of a thread. A stored line is a block of one line. */
export interface LineBlock {
  /** Name of the place, as of a stored line. */
  readonly label: string;
  /** Number of the first line in that place, from 1. */
  readonly number: number;
  /** The lines, with line feeds between them. The bytes may be overwritten once the next block is requested. */
  readonly bytes: Buffer;
}

/** The thread that a reference means. */
export interface FoundThread {
  readonly id: string;
  readonly archived: boolean;
}

/** The owner that has a thread open. */
export interface ThreadHolder {
  /** Name of the owner within a sentence, such as `process 4711`. */
  readonly label: string;
}

/** A thread as a list shows it. */
export interface ThreadSummary {
  readonly id: string;
  /** Name that the user chose. */
  readonly name: string | null;
  /** Beginning of the user's first message, on one line. */
  readonly preview: string | null;
  /** Working folder, or null if it cannot be read. */
  readonly cwd: string | null;
  /** Time when the thread began, as ISO text. Only the local day if the time cannot be read. */
  readonly startedAt: string;
  /** Time of the last line, as ISO text. */
  readonly changedAt: string;
  /** Total length of its lines. */
  readonly bytes: number;
  /** Surface that started the thread, such as `exec` or `cli`. */
  readonly source: string | null;
  readonly provider: string | null;
  /** Model of its first turn. */
  readonly model: string | null;
  /** The thread that this one was forked from. */
  readonly forkedFrom: string | null;
  /** Texts that the embedding program began the thread with. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly archived: boolean;
  /** Name of the place of its lines, for a person. */
  readonly label: string;
  /** Path of its file, or null if the thread is not kept in a file. */
  readonly path: string | null;
  /** A sentence about damage of its lines, or null if there is none. */
  readonly note: string | null;
}

/** Threads to list. */
export interface ThreadQuery {
  /** Whether to list archived threads instead of the others. */
  readonly archived?: boolean;
  /** Lists only threads of this folder, and damaged threads, whose folder is unknown. */
  readonly cwd?: string;
  /** Lists only threads with this text in name, preview, folder or id, ignoring case. */
  readonly search?: string;
  /** Lists only threads whose metadata has all of these texts. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Lists only threads with lines written since this time, in milliseconds since 1970. */
  readonly changedSince?: number;
  /** Maximum number of listed threads. */
  readonly limit?: number;
}
