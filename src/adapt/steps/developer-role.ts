import { mapEntries } from '../../wire/fields/edit-fields.ts';
import type { AdaptRules } from '../adapt-rules.ts';
import { editHistory } from '../history.ts';
import type { AdaptStep } from './step.ts';

/** G1: the role developer is sent as system. */
export const developerRole: AdaptStep = {
  isOn: ({ developerRole }) => developerRole === 'system',
  apply(body, { rules, report }) {
    const adapted = editHistory(rules, body, (history) => mapEntries(history, (entry) => asSystem(rules, entry)));
    if (adapted !== body) report('G1', 'developer', 'system');
    return adapted;
  },
};

function asSystem(rules: AdaptRules, entry: unknown): unknown {
  const message = rules.messageOf(entry);
  return message?.role === 'developer' ? { ...message, role: 'system' } : entry;
}
