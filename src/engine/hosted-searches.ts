import type { WebSearchItem } from '../base/event.ts';
import type { HostedItem } from '../base/item.ts';
import { isRecord } from '../base/json-schema.ts';
import type { Turn } from './turn-setup.ts';

/** The searches that the server makes in one response: each is seen to begin and to end. */
export interface HostedSearches {
  started(id: string): void;
  done(item: HostedItem): void;
  /** The response is over. What is still open has come to nothing. */
  end(): void;
}

export function createHostedSearches(turn: Pick<Turn, 'emit'>): HostedSearches {
  const open = new Set<string>();

  function started(id: string): void {
    if (open.has(id)) return;
    open.add(id);
    turn.emit({ type: 'item.started', item: searchItem(id, '', 'running') });
  }

  return {
    started,
    done({ id, action, status }) {
      const itemId = typeof id === 'string' ? id : '';
      // Not every server says when it begins.
      started(itemId);
      open.delete(itemId);
      const item = searchItem(itemId, queryOf(action), status === 'failed' ? 'failed' : 'completed');
      turn.emit({ type: 'item.completed', item: { ...item, ...(isRecord(action) ? { action } : {}) } });
    },
    end() {
      for (const id of open) turn.emit({ type: 'item.completed', item: searchItem(id, '', 'failed') });
      open.clear();
    },
  };
}

function searchItem(id: string, query: string, status: WebSearchItem['status']): WebSearchItem {
  return { type: 'web_search', id, query, status };
}

/** In one line: what was searched for, which page was opened, what was looked for in it. */
function queryOf(action: unknown): string {
  if (!isRecord(action)) return '';
  const { query, queries, url, pattern } = action;
  if (typeof query === 'string' && query !== '') return query;
  if (Array.isArray(queries)) return queries.filter((entry) => typeof entry === 'string').join(', ');
  const page = typeof url === 'string' ? url : '';
  return typeof pattern === 'string' ? `'${pattern}' in ${page}` : page;
}
