/** A row of a list. */
export interface ListRow {
  /** Value for the command or composer that the list belongs to. */
  readonly value: string;
  readonly label: string;
  readonly detail?: string;
  /** Further text, shown next to the list if the terminal is wide. */
  readonly preview?: string;
}

/**
 * A list that stands below the composer. `complete` follows the word at the caret, and typed keys still go to the
 * composer. `choose` belongs to a command and has a query of its own.
 */
export type List =
  | {
      readonly kind: 'complete';
      readonly of: 'commands' | 'files';
      readonly rows: readonly ListRow[];
      readonly selected: number;
    }
  | {
      readonly kind: 'choose';
      /** Name of the slash command that the choice is for. */
      readonly command: string;
      readonly title: string;
      readonly all: readonly ListRow[];
      readonly rows: readonly ListRow[];
      readonly selected: number;
      readonly query: string;
      readonly isLoading: boolean;
      /**
       * Whether the program opened the list by itself, as a question. No row is marked at first, and typed text goes to the
       * draft: Enter after a text that was meant for the model must not choose.
       */
      readonly isAsked: boolean;
    };

/** Returns a list with another row selected, and goes around at the ends. */
export function moveSelection<L extends List>(list: L, by: number): L {
  const { length } = list.rows;
  if (length === 0) return list;
  const from = list.selected < 0 && by < 0 ? 0 : list.selected;
  return { ...list, selected: (((from + by) % length) + length) % length };
}
