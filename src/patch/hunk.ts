/** The change of one file. Paths are as the patch spells them. */
export type Hunk =
  | { readonly type: 'add'; readonly path: string; readonly text: string }
  | { readonly type: 'delete'; readonly path: string }
  | { readonly type: 'update'; readonly path: string; readonly to?: string; readonly chunks: readonly Chunk[] };

/** A change at one place of a file. */
export interface Chunk {
  /** Line somewhere before the old lines. If `near` is set, it is only a hint. */
  readonly context: string | undefined;
  /** Lines before and after the change, without their endings. */
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** One character per line, in order: ` ` for a line in both, `-` for an old line, `+` for a new line. */
  readonly marks: string;
  /** Whether the old lines are the last lines of the file. */
  readonly atEnd: boolean;
  /** First old line according to a unified diff, counted from 1. A hint. */
  readonly near?: number;
  /** Header that `near` was read from, unchanged. If the file has this line, it is context. */
  readonly header?: string;
  /** Endings of the new lines, if the diff shows them. Otherwise the first ending of the file is used. */
  readonly endings?: readonly string[];
  /** Last line of the file after a unified diff: unchanged, or without an ending. Absent: it gets an ending. */
  readonly lastLine?: 'kept' | 'bare';
}
