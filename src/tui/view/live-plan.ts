import type { PlanStep } from '../../base/action.ts';
import type { PlanItem } from '../../base/event.ts';
import { type Line, span } from '../../text/span.ts';
import { stepRows } from './plan-rows.ts';
import { cutRow } from './safe-row.ts';
import { signsOf, type ViewOptions } from './view-options.ts';

const MOST_ROWS = 6;

/** Returns a row for each step of a plan. If there is no room for all, a count stands for the steps that are done, and for the last ones. */
export function livePlan({ steps }: Pick<PlanItem, 'steps'>, options: ViewOptions, maxRows: number): Line[] {
  const room = Math.min(MOST_ROWS, maxRows);
  if (room < 1) return [];
  if (steps.length <= room) return steps.map((step) => stepRow(step, options));
  const open = steps.filter(({ status }) => status !== 'completed');
  const done = steps.length - open.length;
  const shown = open.slice(0, open.length + (done > 0 ? 1 : 0) <= room ? room : Math.max(1, room - 1));
  const rest = [
    ...(done > 0 ? [`${done} done`] : []),
    ...(open.length > shown.length ? [`${open.length - shown.length} more`] : []),
  ].join(', ');
  const note: Line = [span(`${signsOf(options).more} ${rest}`, { color: 'muted' })];
  return [...shown.map((step) => stepRow(step, options)), cutRow(note, options.columns)].slice(0, room);
}

/** Returns a step in one row. */
function stepRow(step: PlanStep, options: ViewOptions): Line {
  const [row = []] = stepRows(step, { ...options, wrap: 'terminal' });
  return cutRow(row, Math.max(1, options.columns));
}
