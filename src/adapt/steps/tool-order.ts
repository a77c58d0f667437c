import { sameOr } from '../../wire/fields/edit-fields.ts';
import type { AdaptReport } from '../adapt-change.ts';
import { editHistory } from '../history.ts';
import { type Ordered, orderCalls } from './order-calls.ts';
import type { AdaptStep } from './step.ts';

/** G6: every call is followed by its result, and every result follows its call. */
export const toolOrder: AdaptStep = {
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

function reportOrder({ aborted, strays }: Ordered, report: AdaptReport): void {
  if (aborted.length > 0) report('G6', `no result of ${aborted.join(', ')}`, 'aborted');
  if (strays.length > 0) report('G6', `a result without its call: ${strays.join(', ')}`, '');
  if (aborted.length === 0 && strays.length === 0) {
    report('G6', 'calls apart from each other or from their results', 'calls together, results right behind them');
  }
}
