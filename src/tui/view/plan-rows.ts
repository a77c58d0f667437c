import type { PlanStep } from '../../base/action.ts';
import type { PlanItem } from '../../base/event.ts';
import { type Line, type SpanStyle, span } from '../../text/span.ts';
import { wrapSpans } from '../../text/wrap.ts';
import { safeSpan } from './safe-row.ts';
import { proseWidth, type Signs, signsOf, type ViewOptions } from './view-options.ts';

const STEPS: Readonly<Record<PlanStep['status'], { readonly sign: keyof Signs; readonly style: SpanStyle }>> = {
  completed: { sign: 'done', style: { color: 'muted' } },
  in_progress: { sign: 'current', style: { bold: true } },
  pending: { sign: 'open', style: {} },
};

/** Returns the rows of a plan: why it changed, if that was said, and its steps. */
export function planRows({ explanation, steps }: PlanItem, options: ViewOptions): Line[] {
  const why = (explanation ?? '').trim();
  const title = why === '' ? [] : wrapSpans([safeSpan(why, { color: 'muted' })], proseWidth(options));
  return [...title, ...steps.flatMap((step) => stepRows(step, options))];
}

/** Returns the rows of one step. */
export function stepRows({ step, status }: PlanStep, options: ViewOptions): Line[] {
  const { sign, style } = STEPS[status];
  const mark = span(`${signsOf(options)[sign]} `, status === 'in_progress' ? { bold: true, color: 'accent' } : style);
  return wrapSpans([safeSpan(step, style)], proseWidth(options), { indent: [mark], hanging: mark.text.length });
}
