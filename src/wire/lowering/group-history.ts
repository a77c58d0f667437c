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

/** A part of the history that must stay together: a message, or a response with its results. */
export type Group = { readonly kind: 'message'; readonly message: MessageItem } | ResponseGroup;

/** One response of the model and the outputs of its calls. */
export interface ResponseGroup {
  readonly kind: 'response';
  /** Whether the response belongs to the current turn: no user message follows it. */
  readonly current: boolean;
  /** All items of the response, in order. The next fields have the same items by type. */
  readonly items: ResponseItem[];
  readonly reasoning: ReasoningItem[];
  readonly messages: MessageItem[];
  readonly calls: AnsweredCall[];
}

/** An item that a response may have. */
export type ResponseItem = ReasoningItem | MessageItem | CallItem;

export interface AnsweredCall {
  readonly call: CallItem;
  /** Undefined if the call was never answered. */
  output: CallOutputItem | undefined;
}

/**
 * Splits the history into groups, in order. An output joins its call, wherever it stands after the call. Outputs
 * without a call and items of tools that the server runs are left out.
 */
export function groupHistory(items: readonly Item[]): readonly Group[] {
  const groups: Group[] = [];
  const calls = createCallTable();
  const lastInput = items.findLastIndex((item) => item.type === 'message' && item.role === 'user');
  let open: ResponseGroup | undefined;
  const responseOf = (item: ResponseItem, index: number): ResponseGroup => {
    if (open === undefined) {
      open = { kind: 'response', current: index > lastInput, items: [], reasoning: [], messages: [], calls: [] };
      groups.push(open);
    }
    open.items.push(item);
    return open;
  };
  for (const [index, item] of items.entries()) {
    if (isCall(item)) {
      const response = responseOf(item, index);
      response.calls.push(calls.add(item, response));
    } else if (isCallOutput(item)) {
      // After an output, the next items belong to a new response.
      if (calls.answer(item)) open = undefined;
    } else if (item.type === 'reasoning') responseOf(item, index).reasoning.push(item);
    else if (item.type === 'message' && item.role === 'assistant') responseOf(item, index).messages.push(item);
    else if (item.type === 'message' || item.type === 'agent_message') {
      groups.push({ kind: 'message', message: item.type === 'message' ? item : agentMessage(item) });
      open = undefined;
    }
  }
  return groups;
}

/** Converts a message of another agent to a user message: the wire has no other role for it. */
function agentMessage({ content }: HostedItem): MessageItem {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = parts.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []));
  return { type: 'message', role: 'user', content: texts.map((text) => ({ type: 'input_text', text })) };
}

interface CallTable {
  add(call: CallItem, group: ResponseGroup): AnsweredCall;
  /** Adds an output to its call. Reports whether there was a call. */
  answer(output: CallOutputItem): boolean;
}

/**
 * Creates a table of calls. Servers may reuse an id in a later response, so an output belongs to the latest response
 * with its id.
 */
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
