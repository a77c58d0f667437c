import { expandTabs } from './cells.ts';
import { type ColorRole, type Line, span } from './span.ts';
import { visible } from './visible.ts';
import { wrapSpans } from './wrap.ts';

/** A line of a diff with its number: in the old file if it was removed, otherwise in the new one. */
export interface DiffRow {
  readonly kind: 'same' | 'added' | 'removed' | 'gap' | 'note';
  readonly number: number;
  readonly text: string;
}

/** Returns the lines of a unified diff below its header. A gap stands between two hunks. */
export function diffRows(diff: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let before = 0;
  let after = 0;
  let inHunks = false;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const [, from, to] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? [];
    const text = line.slice(1);
    if (from !== undefined && to !== undefined) {
      if (inHunks) rows.push({ kind: 'gap', number: 0, text: '⋮' });
      inHunks = true;
      before = Number(from);
      after = Number(to);
    } else if (!inHunks) continue;
    else if (line.startsWith('-')) rows.push({ kind: 'removed', number: before++, text });
    else if (line.startsWith('+')) rows.push({ kind: 'added', number: after++, text });
    else if (line.startsWith('\\')) rows.push({ kind: 'note', number: 0, text: line });
    else {
      rows.push({ kind: 'same', number: after++, text });
      before += 1;
    }
  }
  return rows;
}

const SIGNS: Readonly<Record<DiffRow['kind'], string>> = { same: ' ', added: '+', removed: '-', gap: '', note: '' };
const COLORS: Readonly<Record<DiffRow['kind'], ColorRole>> = {
  same: 'muted',
  added: 'added',
  removed: 'removed',
  gap: 'muted',
  note: 'muted',
};

export interface DiffOptions {
  readonly width: number;
  /** Whether lines that were added and removed have their colours. */
  readonly colored: boolean;
  /** Cells before the numbers. */
  readonly indent: number;
}

/** Returns the rows of a terminal for lines of a diff: number, sign and text. Long lines go on below their text. */
export function renderDiff(rows: readonly DiffRow[], { width, colored, indent }: DiffOptions): Line[] {
  const digits = Math.max(1, ...rows.map(({ number }) => String(number).length));
  return rows.flatMap(({ kind, number, text }) => {
    const style = { color: colored ? COLORS[kind] : 'muted' } as const;
    const sign = SIGNS[kind];
    const label = sign === '' ? '' : String(number);
    const gutter = `${' '.repeat(indent)}${label.padStart(digits)} ${sign}`;
    const shown = expandTabs(visible(text.replace(/\r$/, '')));
    return wrapSpans([span(shown, style)], width, {
      indent: [span(gutter, kind === 'same' ? { color: 'muted' } : style)],
      hanging: gutter.length,
    });
  });
}
