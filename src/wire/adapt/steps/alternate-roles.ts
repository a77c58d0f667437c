import { mergeMessages } from '../content.ts';
import { sameOr } from '../fields.ts';
import { type AdaptWire, editHistory, type Message, messageOf } from '../history.ts';
import type { Step } from './step.ts';

/** G2: messages of one role that follow each other become one. Each result of a tool stays a message of its own. */
export const alternateRoles: Step = {
  isOn: ({ alternateRoles }) => alternateRoles,
  apply(body, { wire, report }) {
    const adapted = editHistory(wire, body, (history) => sameOr(history, mergeRuns(wire, history)));
    if (adapted !== body) report('G2', 'messages of one role in a row', 'one message');
    return adapted;
  },
};

function mergeRuns(wire: AdaptWire, history: readonly unknown[]): readonly unknown[] {
  const merged: unknown[] = [];
  let run: Message[] = [];
  const close = () => {
    const [first, ...others] = run;
    if (first !== undefined) merged.push(mergeMessages(wire, [first, ...others]));
    run = [];
  };
  for (const entry of history) {
    const message = messageOf(wire, entry);
    if (message === undefined || message.role !== run[0]?.role || STANDS_ALONE.has(message.role)) close();
    if (message === undefined) merged.push(entry);
    else run.push(message);
  }
  close();
  return merged;
}

const STANDS_ALONE = new Set(['tool', 'function']);
