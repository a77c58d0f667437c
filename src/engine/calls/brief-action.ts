import type { Action } from '../../base/action.ts';
import { cutMiddle } from '../../base/bound-text.ts';

const MOST_BYTES = 4_096;

/** Returns an action for records and notes. The texts of whole files do not belong there, and lose their middle. */
export function briefAction(action: Action): Action {
  if (action.kind !== 'patch') return action;
  const changes = action.changes.map((change) => ({
    ...change,
    before: brief(change.before),
    after: brief(change.after),
  }));
  return { ...action, changes };
}

function brief(text: string | null): string | null {
  return text === null ? null : cutMiddle(text, { unit: 'bytes', limit: MOST_BYTES });
}
