import { mapEntries } from '../../edit-fields.ts';
import { type AdaptWire, editHistory, messageOf } from '../history.ts';
import type { Step } from './step.ts';

/** G1: developers speak as the system where their role is unknown. */
export const developerRole: Step = {
  isOn: ({ developerRole }) => developerRole === 'system',
  apply(body, { wire, report }) {
    const adapted = editHistory(wire, body, (history) => mapEntries(history, (entry) => asSystem(wire, entry)));
    if (adapted !== body) report('G1', 'developer', 'system');
    return adapted;
  },
};

function asSystem(wire: AdaptWire, entry: unknown): unknown {
  const message = messageOf(wire, entry);
  return message?.role === 'developer' ? { ...message, role: 'system' } : entry;
}
