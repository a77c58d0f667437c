import type { ThreadItem, WebSearchItem } from '../base/event.ts';
import { isFromUser, typedText } from '../base/is-from-user.ts';
import { type HostedItem, type Item, messageText } from '../base/item.ts';
import { isRecord } from '../base/json-schema.ts';
import type { StartedItem } from '../base/model.ts';

export interface ShownItemOptions {
  /** Whether raw reasoning is shown if there is no summary. */
  readonly rawReasoning: boolean;
}

/** Returns an item of the history as it is shown; null if it is hidden. Calls are shown as their effects. */
export function shownItem(item: Item, { rawReasoning }: ShownItemOptions): ThreadItem | null {
  if (item.type === 'message') {
    const id = item.id ?? '';
    if (item.role === 'assistant') return { type: 'agent_message', id, text: messageText(item) };
    if (!isFromUser(item)) return null;
    const images = item.content.filter(({ type }) => type === 'input_image').length;
    return { type: 'user_message', id, text: typedText(item), images };
  }
  if (item.type === 'reasoning') {
    const summary = item.summary.map((part) => part.text).join('\n');
    const raw = item.content?.map((part) => part.text).join('') ?? '';
    const text = summary === '' && rawReasoning ? raw : summary;
    return text.trim() === '' ? null : { type: 'reasoning', id: item.id ?? '', text };
  }
  return item.type === 'web_search_call' ? searchItem(item) : null;
}

/** Returns an item that a response has begun as it is shown; null for one that is shown only when complete. */
export function begunItem({ type, id }: Pick<StartedItem, 'type' | 'id'>): ThreadItem | null {
  if (type === 'message') return { type: 'agent_message', id, text: '' };
  if (type === 'reasoning') return { type, id, text: '' };
  return type === 'web_search_call' ? { type: 'web_search', id, query: '', status: 'running' } : null;
}

function searchItem({ id, action, status }: HostedItem): WebSearchItem {
  return {
    type: 'web_search',
    id: typeof id === 'string' ? id : '',
    query: queryOf(action),
    status: status === 'failed' ? 'failed' : 'completed',
    ...(isRecord(action) ? { action } : {}),
  };
}

/** Returns one line: the query, the opened page, or the text searched for in that page. */
function queryOf(action: unknown): string {
  if (!isRecord(action)) return '';
  const { query, queries, url, pattern } = action;
  if (typeof query === 'string' && query !== '') return query;
  if (Array.isArray(queries)) return queries.filter((entry) => typeof entry === 'string').join(', ');
  const page = typeof url === 'string' ? url : '';
  return typeof pattern === 'string' ? `'${pattern}' in ${page}` : page;
}
