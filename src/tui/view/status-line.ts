import { cellWidth } from '../../text/cells.ts';
import { type Line, type Span, span } from '../../text/span.ts';
import { cutRow, safeSpan } from './safe-row.ts';
import { signsOf, type ViewOptions } from './view-options.ts';

/** The state of a thread that the status line shows. A null is not known and not shown. */
export interface StatusData {
  readonly model: string;
  readonly effort: string | null;
  /** Empty until the agent is there. */
  readonly approval: string;
  readonly sandbox: string;
  /** Whether commands run without a sandbox and without questions. */
  readonly isUnguarded: boolean;
  readonly branch: string | null;
  /** Part of the context that is left, in percent. */
  readonly contextLeft: number | null;
  readonly tokens: number | null;
  /** US dollars of the thread. */
  readonly cost: number | null;
  /** Inputs that wait. */
  readonly waiting: number;
  readonly terminals: number;
}

/** Returns the status line. Its parts are dropped from the right until it fits. */
export function statusLine(data: StatusData, options: Pick<ViewOptions, 'columns' | 'unicode'>): Line {
  const columns = Math.max(1, options.columns);
  const gap = ` ${signsOf(options).dot} `;
  const line: Span[] = [];
  let used = 0;
  const parts = partsOf(data);
  for (const part of parts) {
    const cells = cellWidth(part.text) + (line.length === 0 ? 0 : gap.length);
    if (used + cells > columns) break;
    if (line.length > 0) line.push(span(gap, MUTED));
    line.push(part);
    used += cells;
  }
  const [first = span('')] = parts;
  return line.length === 0 ? cutRow([first], columns) : line;
}

const MUTED = { color: 'muted' } as const;

function partsOf(data: StatusData): Span[] {
  const { model, effort, branch, contextLeft, tokens, cost, waiting, terminals } = data;
  const texts = [
    branch,
    contextLeft === null ? null : `${Math.max(0, Math.round(contextLeft))}% left`,
    tokens === null ? null : `${briefCount(tokens)} tokens`,
    cost === null ? null : `$${cost.toFixed(cost < 1 ? 4 : 2)}`,
    waiting === 0 ? null : `waiting ${waiting}`,
    terminals === 0 ? null : `terminals ${terminals}`,
  ];
  const guard = [data.approval, data.sandbox].filter((text) => text !== '').join(', ');
  return [
    safeSpan(effort === null ? model : `${model} ${effort}`, MUTED),
    ...(guard === '' ? [] : [safeSpan(guard, data.isUnguarded ? { color: 'error', bold: true } : MUTED)]),
    ...texts.filter((text) => text !== null && text !== '').map((text) => safeSpan(text ?? '', MUTED)),
  ];
}

/** Returns a count in at most four characters and a unit: 950, 12k, 1.2M. */
function briefCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 10_000) return `${(count / 1000).toFixed(1)}k`;
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Returns the line above the composer while a turn works. It changes once a second. */
export function workLine(elapsedMs: number, note: string, options: Pick<ViewOptions, 'columns' | 'unicode'>): Line {
  const { dot } = signsOf(options);
  const words = [`working ${Math.floor(elapsedMs / 1000)} s`, ...(note === '' ? [] : [note]), 'Esc interrupts'];
  return cutRow([safeSpan(words.join(` ${dot} `), MUTED)], Math.max(1, options.columns));
}
