import {
  type CallItem,
  type CallOutputItem,
  type HostedItem,
  type Item,
  isCall,
  isCallOutput,
  type MessageItem,
  type ReasoningItem,
} from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';

/** A stretch of the history that stands together before a server. */
export type Group = { readonly kind: 'message'; readonly message: MessageItem } | ResponseGroup;

/** What the model said at once, and what its calls were answered. */
export interface ResponseGroup {
  readonly kind: 'response';
  /** Whether it belongs to the turn that is under way: no user has spoken since. */
  readonly current: boolean;
  readonly reasoning: ReasoningItem[];
  readonly messages: MessageItem[];
  readonly calls: AnsweredCall[];
}

export interface AnsweredCall {
  readonly call: CallItem;
  /** Undefined: it was never answered. */
  output: CallOutputItem | undefined;
}

/**
 * The history in groups, in order. An output goes to its call, wherever it stands after it; one without a call is left
 * out, and so are items of the server's own tools.
 */
export function groupHistory(items: readonly Item[]): readonly Group[] {
  const groups: Group[] = [];
  const calls = createCallTable();
  const lastInput = items.findLastIndex((item) => item.type === 'message' && item.role === 'user');
  let open: ResponseGroup | undefined;
  const response = (index: number): ResponseGroup => {
    if (open === undefined) {
      open = { kind: 'response', current: index > lastInput, reasoning: [], messages: [], calls: [] };
      groups.push(open);
    }
    return open;
  };
  for (const [index, item] of items.entries()) {
    if (isCall(item)) response(index).calls.push(calls.add(item, response(index)));
    else if (isCallOutput(item)) {
      // After an answer the model speaks anew.
      if (calls.answer(item)) open = undefined;
    } else if (item.type === 'reasoning') response(index).reasoning.push(item);
    else if (item.type === 'message' && item.role === 'assistant') response(index).messages.push(item);
    else if (item.type === 'message' || item.type === 'agent_message') {
      groups.push({ kind: 'message', message: item.type === 'message' ? item : agentMessage(item) });
      open = undefined;
    }
  }
  return groups;
}

/** What another agent writes to this one reaches it as a user's words: the wire knows no other voice. */
function agentMessage({ content }: HostedItem): MessageItem {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = parts.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []));
  return { type: 'message', role: 'user', content: texts.map((text) => ({ type: 'input_text', text })) };
}

interface CallTable {
  add(call: CallItem, group: ResponseGroup): AnsweredCall;
  /** Whether there was a call for it. */
  answer(output: CallOutputItem): boolean;
}

/** Servers may use an id again in a later response, so an output belongs to the latest response with its id. */
function createCallTable(): CallTable {
  const waiting = new Map<string, { readonly group: ResponseGroup; readonly calls: AnsweredCall[] }>();
  return {
    add(call, group) {
      const answered: AnsweredCall = { call, output: undefined };
      const same = waiting.get(call.call_id);
      if (same?.group === group) same.calls.push(answered);
      else waiting.set(call.call_id, { group, calls: [answered] });
      return answered;
    },
    answer(output) {
      const call = waiting.get(output.call_id)?.calls.shift();
      if (call === undefined) return false;
      call.output = output;
      return true;
    },
  };
}
