import { expect, test } from 'vitest';
import type { EventBody } from '../base/event.ts';
import { createHostedSearches } from './hosted-searches.ts';

function watch() {
  const events: EventBody[] = [];
  return { events, searches: createHostedSearches({ emit: (event) => void events.push(event) }) };
}

const search = (fields: object) => ({ type: 'web_search_call', id: 'ws_1', ...fields }) as const;
const shown = (fields: object) => ({ type: 'web_search', id: 'ws_1', ...fields });

test('a search begins and ends once', () => {
  const { events, searches } = watch();
  searches.started('ws_1');
  searches.started('ws_1');
  searches.done(search({ status: 'completed', action: { type: 'search', query: 'q' } }));
  searches.end();
  expect(events).toEqual([
    { type: 'item.started', item: shown({ query: '', status: 'running' }) },
    {
      type: 'item.completed',
      item: shown({ query: 'q', status: 'completed', action: { type: 'search', query: 'q' } }),
    },
  ]);
});

test('a search that only ends has begun', () => {
  const { events, searches } = watch();
  searches.done(search({ status: 'failed' }));
  expect(events).toEqual([
    { type: 'item.started', item: shown({ query: '', status: 'running' }) },
    { type: 'item.completed', item: shown({ query: '', status: 'failed' }) },
  ]);
});

test('a search that does not end has failed with its response', () => {
  const { events, searches } = watch();
  searches.started('ws_1');
  searches.end();
  searches.end();
  expect(events.slice(1)).toEqual([{ type: 'item.completed', item: shown({ query: '', status: 'failed' }) }]);
});

test.each([
  [{ type: 'search', queries: ['a', 'b'] }, 'a, b'],
  [{ type: 'open_page', url: 'https://x' }, 'https://x'],
  [{ type: 'find_in_page', url: 'https://x', pattern: 'p' }, "'p' in https://x"],
  ['nothing', ''],
])('of %j people see %j', (action, query) => {
  const { events, searches } = watch();
  searches.done(search({ action }));
  expect(events[1]).toMatchObject({ item: { query } });
});
