import type { WebSearchItem } from '../base/event.ts';
import { printable } from './visible.ts';

/** Returns a search on the web in one line. */
export function searchNote({ query, status }: WebSearchItem): string {
  return `${status === 'failed' ? 'search failed' : 'searched the web'}${query === '' ? '' : `: ${printable(query)}`}`;
}
