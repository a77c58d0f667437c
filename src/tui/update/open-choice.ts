import { createFuzzy } from '../../text/fuzzy.ts';
import type { List, ListRow } from '../list.ts';
import type { TuiModel } from '../model.ts';

type Choice = Extract<List, { kind: 'choose' }>;

interface Opening {
  readonly command: string;
  readonly title: string;
  readonly rows?: readonly ListRow[];
  readonly isAsked?: boolean;
}

/** Returns the model with the list of a command. Without rows they are still to come. */
export function openChoice(model: TuiModel, { command, title, rows, isAsked = false }: Opening): TuiModel {
  const all = rows ?? [];
  const list: Choice = {
    kind: 'choose',
    command,
    title,
    all,
    rows: all,
    selected: isAsked ? -1 : 0,
    query: '',
    isLoading: rows === undefined,
    isAsked,
  };
  return { ...model, list };
}

/** Returns the model with the rows of a command's list, if the list is still open. */
export function fillList(model: TuiModel, command: string, rows: readonly ListRow[]): TuiModel {
  const { list } = model;
  if (list?.kind !== 'choose' || list.command !== command) return model;
  return { ...model, list: filtered({ ...list, all: rows, isLoading: false }, list.query) };
}

/** Returns the list of a command with the rows that fit a query. */
export function filtered(list: Choice, query: string): Choice {
  return { ...list, query, rows: query === '' ? list.all : matching(list.all, query), selected: 0 };
}

/** Returns the rows that fit a query, the best first. */
export function matching(rows: readonly ListRow[], query: string): ListRow[] {
  const byText = new Map(rows.map((row) => [`${row.label} ${row.detail ?? ''} ${row.value}`, row]));
  return createFuzzy([...byText.keys()])
    .search(query, rows.length)
    .flatMap(({ name }) => byText.get(name) ?? []);
}
