import { sameOr } from '../../edit-fields.ts';
import type { Report } from '../adapt-change.ts';
import { editHistory } from '../history.ts';
import { type Ordered, orderCalls } from './order-calls.ts';
import type { Step } from './step.ts';

/** G6: every call has its result right behind it, and every result its call before it. */
export const toolOrder: Step = {
  isOn: ({ toolOrder }) => toolOrder === 'strict',
  apply(body, { rules, report }) {
    return editHistory(rules, body, (history) => {
      const ordered = orderCalls(history, rules.callRules(body));
      const entries = sameOr(history, ordered.entries);
      if (entries !== history) reportOrder(ordered, report);
      return entries;
    });
  },
};

function reportOrder({ aborted, strays }: Ordered, report: Report): void {
  if (aborted.length > 0) report('G6', `no result of ${aborted.join(', ')}`, 'aborted');
  if (strays.length > 0) report('G6', `a result without its call: ${strays.join(', ')}`, '');
  if (aborted.length === 0 && strays.length === 0) {
    report('G6', 'calls apart from each other or from their results', 'calls together, results right behind them');
  }
}
