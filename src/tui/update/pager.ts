import { step, type UpdateStep } from '../effect.ts';
import type { Key } from '../input/input-event.ts';
import type { OpenPager, TuiModel } from '../model.ts';
import { moveBy } from '../pager/move.ts';
import { updatePager } from '../pager/update-pager.ts';
import { markSeen } from './question.ts';

/** Returns the step for a key while a pager is open. */
export function pagerKey(model: TuiModel, open: OpenPager, key: Key): UpdateStep {
  const { pager, request } = updatePager(open.pager, key, model.size);
  const seen = open.askId !== null && moveBy(pager, 0, model.size).isAtEnd ? markSeen(model, open.askId) : model;
  const next = { ...seen, pager: request?.type === 'close' ? null : { ...open, pager } };
  if (request?.type === 'copy') return step(next, { type: 'copy', text: request.text });
  if (request?.type === 'edit') return step(next, { type: 'edit', text: request.text, askId: null });
  if (!pager.wantsBefore || open.before === null) return step(next);
  return step(next, { type: 'perform', command: 'transcript', task: { what: 'before', value: open.before } });
}
