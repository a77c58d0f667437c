import { expect, test } from 'vitest';
import { WITH_TOOLS } from './fixtures/check-cases.ts';
import { CREATED, callLife, completed, messageLife } from './fixtures/events.ts';
import { repaired } from './fixtures/repaired.ts';

test('a repair is told once for each call, with its place and shortened texts', () => {
  const text = `{"city":"${'a\t'.repeat(400)}"}`;
  const { repairs } = repaired(
    [CREATED, ...callLife(text), ...callLife('{"city":"a\tb"}', { id: 'fc_2', call_id: 'call_2' }, 1), completed()],
    WITH_TOOLS,
  );
  expect(repairs.map(({ id, callId, frame }) => [id, callId, frame])).toEqual([
    ['C9', 'call_1', 4],
    ['C9', 'call_2', 9],
  ]);
  for (const { title, before, after } of repairs) {
    expect(title).toBe('characters that JSON does not allow in the arguments');
    expect(before.length).toBeLessThanOrEqual(200);
    expect(after.length).toBeLessThanOrEqual(200);
  }
});

test('events that are made have a number where the events of the server have one', () => {
  const life = [CREATED, ...messageLife(['<think>Hm</think>Hi']), completed()];
  const numbers = (lines: readonly object[]) =>
    repaired(lines).frames.map(({ json }) => (json as { sequence_number?: number }).sequence_number);
  expect(new Set(numbers(life))).toEqual(new Set([undefined]));
  const numbered = life.map((event, n) => ({ ...event, sequence_number: n }));
  expect(numbers(numbered)).toEqual([0, 3, 3, 3, 3, 1, 2, 3, 4, 5, 6, 7]);
});
