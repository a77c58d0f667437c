/** What a patch wants of one file. Paths are as the patch spells them. */
export type Hunk =
  | { readonly type: 'add'; readonly path: string; readonly text: string }
  | { readonly type: 'delete'; readonly path: string }
  | { readonly type: 'update'; readonly path: string; readonly to?: string; readonly chunks: readonly Chunk[] };

/** A place in a file and what becomes of it. */
export interface Chunk {
  /** A line that stands somewhere before. With `near` it is a hint too. */
  readonly context: string | undefined;
  /** What is there now, and what will be; lines without their endings. */
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** One character for each line in turn: ` ` is in both, `-` only in the old ones, `+` only in the new ones. */
  readonly marks: string;
  /** Whether the old lines are the last ones of the file. */
  readonly atEnd: boolean;
  /** Where a unified diff says that the old lines begin, counted from 1. A hint. */
  readonly near?: number;
  /** The header that `near` was read from, as it stood. A file that holds this line means it as context. */
  readonly header?: string;
  /** The endings of the new lines, from a diff that shows them. Otherwise they get the file's first one. */
  readonly endings?: readonly string[];
  /** What a unified diff makes of the file's last line: left as it is, or without an ending. Otherwise it gets one. */
  readonly lastLine?: 'kept' | 'bare';
}
