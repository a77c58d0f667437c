import { expect, test } from 'vitest';
import type { Fields } from '../fields/request-fields.ts';
import { firstCallOnly } from './first-call.ts';

const begin = (index: number, type: string) => ({ type: 'content_block_start', index, content_block: { type } });
const piece = (index: number) => ({ type: 'content_block_delta', index, delta: {} });
const close = (index: number) => ({ type: 'content_block_stop', index });
const block = (index: number, type: string): readonly Fields[] => [begin(index, type), piece(index), close(index)];

test('the blocks after a dropped call are numbered without a gap', () => {
  const keep = firstCallOnly();
  const events = [
    ...block(0, 'text'),
    ...block(1, 'tool_use'),
    ...block(2, 'tool_use'),
    ...block(3, 'text'),
    { type: 'message_stop' },
  ];
  expect(events.flatMap((event) => keep(event) ?? [])).toEqual([
    ...block(0, 'text'),
    ...block(1, 'tool_use'),
    ...block(2, 'text'),
    { type: 'message_stop' },
  ]);
});

test('events and answers with one call stay the same', () => {
  const keep = firstCallOnly();
  for (const event of block(0, 'tool_use')) expect(keep(event)).toBe(event);
  const body = { content: [{ type: 'text' }, { type: 'tool_use', id: 'a' }] };
  expect(firstCallOnly()(body)).toBe(body);
  expect(firstCallOnly()({ content: [...body.content, { type: 'tool_use', id: 'b' }] })).toEqual(body);
});
