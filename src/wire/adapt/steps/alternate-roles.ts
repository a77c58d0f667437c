import { isRecord } from '../../../base/json-schema.ts';
import { sameOr } from '../../edit-fields.ts';
import { mergeMessages, textPart } from '../content.ts';
import { type AdaptWire, editHistory, type Message, messageOf } from '../history.ts';
import type { Step } from './step.ts';

/**
 * G2: messages of one role that follow each other become one. Each result of a tool stays a message of its own; where the
 * user speaks right behind results, which is no turn of theirs, the assistant gets a word between.
 */
export const alternateRoles: Step = {
  isOn: ({ alternateRoles }) => alternateRoles,
  apply(body, { wire, report }) {
    const merged = editHistory(wire, body, (history) => sameOr(history, mergeRuns(wire, history)));
    if (merged !== body) report('G2', 'messages of one role in a row', 'one message');
    const bridged = editHistory(wire, merged, (history) => sameOr(history, bridgeResults(wire, history)));
    if (bridged !== merged) report('G2', 'the user right behind results', 'a word of the assistant between');
    return bridged;
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

function bridgeResults(wire: AdaptWire, history: readonly unknown[]): readonly unknown[] {
  return history.flatMap((entry, index) => {
    const isBehind = messageOf(wire, entry)?.role === 'user' && isResult(history[index - 1]);
    return isBehind ? [bridge(wire), entry] : [entry];
  });
}

function isResult(entry: unknown): boolean {
  if (!isRecord(entry)) return false;
  return entry.role === 'tool' || entry.type === 'function_call_output' || entry.type === 'custom_tool_call_output';
}

const BRIDGE = 'I have the results.';

function bridge(wire: AdaptWire): object {
  if (wire === 'chat') return { role: 'assistant', content: BRIDGE };
  return { type: 'message', role: 'assistant', content: [textPart(wire, 'assistant', BRIDGE)] };
}
