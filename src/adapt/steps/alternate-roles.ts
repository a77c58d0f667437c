import { sameOr } from '../../wire/fields/edit-fields.ts';
import type { AdaptRules, Message } from '../adapt-rules.ts';
import { mergeMessages } from '../content.ts';
import { editHistory } from '../history.ts';
import type { AdaptStep } from './step.ts';

/**
 * G2: consecutive messages of one role are merged. Each tool result stays a message of its own. A user message right
 * after results is preceded by a short message of the assistant.
 */
export const alternateRoles: AdaptStep = {
  isOn: ({ alternateRoles }) => alternateRoles,
  apply(body, { rules, report }) {
    const merged = editHistory(rules, body, (history) => sameOr(history, mergeRuns(rules, history)));
    if (merged !== body) report('G2', 'messages of one role in a row', 'one message');
    const bridged = editHistory(rules, merged, (history) => sameOr(history, bridgeResults(rules, history)));
    if (bridged !== merged) report('G2', 'the user right behind results', 'a word of the assistant between');
    return bridged;
  },
};

function mergeRuns(rules: AdaptRules, history: readonly unknown[]): readonly unknown[] {
  const merged: unknown[] = [];
  let run: Message[] = [];
  const close = () => {
    const [first, ...others] = run;
    if (first !== undefined) merged.push(mergeMessages(rules, [first, ...others]));
    run = [];
  };
  for (const entry of history) {
    const message = rules.messageOf(entry);
    if (message === undefined || message.role !== run[0]?.role || STANDS_ALONE.has(message.role)) close();
    if (message === undefined) merged.push(entry);
    else run.push(message);
  }
  close();
  return merged;
}

const STANDS_ALONE = new Set(['tool', 'function']);

function bridgeResults(rules: AdaptRules, history: readonly unknown[]): readonly unknown[] {
  return history.flatMap((entry, index) => {
    const isBehind = rules.messageOf(entry)?.role === 'user' && rules.resultField(history[index - 1]) !== undefined;
    return isBehind ? [rules.message('assistant', BRIDGE), entry] : [entry];
  });
}

const BRIDGE = 'I have the results.';
