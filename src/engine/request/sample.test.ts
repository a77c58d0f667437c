import { expect, test } from 'vitest';
import type { EventBody } from '../../base/event.ts';
import type { Item } from '../../base/item.ts';
import type { LogLine } from '../../base/log.ts';
import { createResponseItems } from './sample.ts';

function watch({ showRawReasoning = false } = {}) {
  const events: EventBody[] = [];
  const lines: LogLine[] = [];
  const items = createResponseItems({
    id: 't',
    setup: { showRawReasoning },
    emit: (event) => void events.push(event),
    mention: (line) => void lines.push(line),
  });
  return { events, lines, items };
}

const message = (id: string, text: string): Item => ({
  type: 'message',
  id,
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});
const reasoning = (summary: string, raw = ''): Item => ({
  type: 'reasoning',
  id: 'r',
  summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }],
  content: raw === '' ? null : [{ type: 'reasoning_text', text: raw }],
  encrypted_content: null,
});
const search = (fields: object): Item => ({ type: 'web_search_call', id: 'ws', ...fields });

test('a message begins once and ends once, under one id', () => {
  const { events, items } = watch();
  items.started({ type: 'message', id: 'm' });
  items.started({ type: 'message', id: 'm' });
  items.done(message('m', 'hello'));
  items.end();
  expect(events).toEqual([
    { type: 'item.started', item: { type: 'agent_message', id: 'm', text: '' } },
    { type: 'item.completed', item: { type: 'agent_message', id: 'm', text: 'hello' } },
  ]);
});

test('an item that only ends is also started, and one started under another id is dropped', () => {
  const { events, items } = watch();
  items.started({ type: 'message', id: 'first' });
  items.done(message('second', 'hello'));
  items.end();
  expect(events.slice(1)).toEqual([
    { type: 'item.started', item: { type: 'agent_message', id: 'second', text: '' } },
    { type: 'item.completed', item: { type: 'agent_message', id: 'second', text: 'hello' } },
    { type: 'item.dropped', itemId: 'first' },
  ]);
});

test('reasoning without a visible text is dropped', () => {
  const { events, items } = watch();
  items.started({ type: 'reasoning', id: 'r' });
  items.done(reasoning('', 'raw'));
  expect(events.slice(1)).toEqual([{ type: 'item.dropped', itemId: 'r' }]);
  const raw = watch({ showRawReasoning: true });
  raw.items.done(reasoning('', 'raw'));
  expect(raw.events.at(-1)).toEqual({ type: 'item.completed', item: { type: 'reasoning', id: 'r', text: 'raw' } });
});

test('calls are not shown as items of the response', () => {
  const { events, items } = watch();
  items.started({ type: 'function_call', id: 'f' });
  items.done({ type: 'function_call', id: 'f', call_id: 'c', name: 'n', arguments: '{}' });
  items.end();
  expect(events).toEqual([]);
});

test('a search that does not end has failed with its response, and the log records it', () => {
  const { events, lines, items } = watch();
  items.started({ type: 'web_search_call', id: 'ws' });
  items.end();
  items.end();
  const item = { type: 'web_search', id: 'ws', query: '', status: 'failed' };
  expect(events.slice(1)).toEqual([{ type: 'item.completed', item }]);
  expect(lines).toEqual([{ type: 'oxbow', payload: { kind: 'item', turn_id: 't', item } }]);
});

test.each([
  [{ type: 'search', query: 'q' }, 'q'],
  [{ type: 'search', queries: ['a', 'b'] }, 'a, b'],
  [{ type: 'open_page', url: 'https://x' }, 'https://x'],
  [{ type: 'find_in_page', url: 'https://x', pattern: 'p' }, "'p' in https://x"],
  ['nothing', ''],
])('%j is shown as %j', (action, query) => {
  const { events, items } = watch();
  items.done(search({ action, status: 'completed' }));
  expect(events).toMatchObject([
    { type: 'item.started', item: { query: '', status: 'running' } },
    { type: 'item.completed', item: { query, status: 'completed' } },
  ]);
});
