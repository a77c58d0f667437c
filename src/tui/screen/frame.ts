import type { Line } from '../../text/span.ts';

/** Rows and columns of a terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A place in the live region or on a page. Both numbers begin with 0. */
export interface Caret {
  readonly row: number;
  readonly column: number;
}

export type ScreenFrame =
  /**
   * Rows for the scrollback, then the live region. A committed row may be wider than the terminal, which then wraps it
   * itself (code, commands, paths). A live row is at most `columns` wide. The caret is a place in the live region. Without
   * a caret the cursor is hidden.
   */
  | {
      readonly kind: 'inline';
      readonly commit: readonly Line[];
      readonly live: readonly Line[];
      readonly caret: Caret | null;
    }
  /** A page that takes the whole screen, on the alternate screen. Nothing is committed meanwhile. */
  | { readonly kind: 'page'; readonly rows: readonly Line[]; readonly caret: Caret | null };
