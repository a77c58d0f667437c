import { describe, expect, test } from 'vitest';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { checkCases } from './fixtures/check-cases.ts';
import { CREATED, completed, messageLife } from './fixtures/events.ts';
import { repaired } from './fixtures/repaired.ts';

const TEXT_CALL = '<tool_call>\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n</tool_call>';

describe('reasoning in the text', () => {
  const tags = ['<think>\nHm', 'm.\n</thi', 'nk>\n\nIt rains.'];
  checkCases([
    [
      'between tags',
      [CREATED, ...messageLife(tags), completed()],
      { ids: ['E2'], reasoning: 'Hmm.\n', text: 'It rains.' },
      {},
    ],
    [
      'between tags, with a call behind it',
      [CREATED, ...messageLife([`<think>Hm</think>${TEXT_CALL}`]), completed()],
      { ids: ['D1', 'D16', 'E2'], reasoning: 'Hm', text: '', calls: [{ name: 'get_weather' }] },
    ],
    [
      'up to a closing tag',
      [CREATED, ...messageLife(['Hm.', '</think>', 'It rains.']), completed()],
      { ids: ['E3'], text: 'Hm.It rains.' },
      {},
    ],
    [
      'up to a closing tag, as it was before',
      [CREATED, ...messageLife(['Hm.', '</think>', 'It rains.']), completed()],
      { ids: ['E3'], reasoning: 'Hm.', text: 'It rains.' },
      { memory: { startsThinking: true } },
    ],
    [
      'as before, although this answer has no tag',
      [CREATED, ...messageLife(['It ', 'rains.']), completed()],
      { ids: ['E11'], text: 'It rains.' },
      { memory: { startsThinking: true } },
    ],
    [
      'tags that are text',
      [CREATED, ...messageLife(tags), completed()],
      { ids: [], text: tags.join('') },
      { compat: { ...DEFAULT_COMPAT, thinking: 'text' } },
    ],
  ]);

  test('a closing tag is remembered', () => {
    const memory = { startsThinking: false };
    repaired([CREATED, ...messageLife(['Hm.', '</think>', 'It rains.']), completed()], { memory });
    expect(memory.startsThinking).toBe(true);
  });

  test('the reasoning is complete before the message begins', () => {
    const { events } = repaired([CREATED, ...messageLife(tags), completed()]);
    expect(events.map((event) => event.type)).toEqual([
      'created',
      'item.started',
      'reasoning.delta',
      'reasoning.delta',
      'item.done',
      'item.started',
      'text.delta',
      'item.done',
      'completed',
    ]);
  });
});

test('made events have a sequence number if the events of the server have one', () => {
  const life = [CREATED, ...messageLife(['<think>Hm</think>Hi']), completed()];
  const numbers = (lines: readonly object[]) =>
    repaired(lines).frames.map(({ json }) => (json as { sequence_number?: number }).sequence_number);
  expect(new Set(numbers(life))).toEqual(new Set([undefined]));
  const numbered = life.map((event, n) => ({ ...event, sequence_number: n }));
  expect(numbers(numbered)).toEqual([0, 3, 3, 3, 3, 1, 2, 3, 4, 5, 6, 7]);
});
