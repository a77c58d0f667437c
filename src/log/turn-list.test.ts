import { expect, test } from 'vitest';
import type { LogLine } from '../base/log.ts';
import { event, said } from './test-lines.ts';
import { createTurnList, type PlacedTurn } from './turn-list.ts';

function turnsOf(lines: readonly LogLine[]): readonly PlacedTurn[] {
  const list = createTurnList();
  lines.forEach((line, index) => {
    list.apply(line, { index, time: `time ${index}` });
  });
  return list.turns;
}

const started = (turn_id: string) => event('task_started', { turn_id });
const completed = (turn_id: string, last_agent_message: string | null = null) =>
  event('task_complete', { turn_id, last_agent_message });

test('a turn has its input and answer, its status and its times', () => {
  expect(
    turnsOf([
      started('a'),
      said('<environment_context>'),
      said('do it'),
      said('and that'),
      said('working', 'assistant'),
      completed('a', 'done'),
    ]),
  ).toEqual([
    {
      number: 1,
      id: 'a',
      status: 'completed',
      startedAt: 'time 0',
      endedAt: 'time 5',
      input: 'do it',
      answer: 'done',
      end: 6,
      inputs: 2,
      lacksStart: false,
    },
  ]);
});

test('turns end in different ways, or not at all', () => {
  const turns = turnsOf([
    started('a'),
    said('one', 'assistant'),
    completed('a'),
    started('b'),
    event('turn_aborted', { turn_id: 'b', reason: 'interrupted' }),
    started('c'),
    { type: 'oxbow', payload: { kind: 'turn.failed', turn_id: 'c', code: 'x', message: 'y' } },
    started('d'),
    started('e'),
  ]);
  expect(turns.map(({ number, status, answer, end }) => [number, status, answer, end])).toEqual([
    [1, 'completed', 'one', 3],
    [2, 'interrupted', null, 5],
    [3, 'failed', null, 7],
    [4, 'unfinished', null, 8],
    [5, 'unfinished', null, null],
  ]);
});

test('turns that were rolled back are not counted, including those without input among them', () => {
  const turn = (id: string) => [started(id), said(id), completed(id)];
  const silent = [started('silent'), completed('silent')];
  const back = (num_turns: number) => event('thread_rolled_back', { num_turns });
  const numbers = (lines: LogLine[]) => turnsOf(lines).map(({ number, id }) => `${number} ${id}`);
  expect(numbers([...turn('a'), ...turn('b'), back(1), ...turn('c')])).toEqual(['1 a', '2 c']);
  expect(numbers([...turn('a'), ...turn('b'), ...silent, back(1), ...turn('c')])).toEqual(['1 a', '2 c']);
  expect(numbers([...turn('a'), back(5), ...turn('c')])).toEqual(['1 c']);
});

test('in old files, which do not mark turns, each input begins one', () => {
  const turns = turnsOf([said('<user_instructions>'), said('one'), said('1', 'assistant'), said('two')]);
  expect(turns.map(({ number, input, answer, status, end }) => [number, input, answer, status, end])).toEqual([
    [1, 'one', '1', 'completed', 3],
    [2, 'two', null, 'unfinished', null],
  ]);
});

test('the inputs of one turn are rolled back one by one, and the turn with the first', () => {
  const steered = [started('a'), said('one'), completed('a'), started('b'), said('two'), said('more')];
  const back = (num_turns: number) => event('thread_rolled_back', { num_turns });
  const idsAfter = (count: number) => turnsOf([...steered, back(count)]).map(({ id }) => id);
  expect([1, 2, 3].map(idsAfter)).toEqual([['a', 'b'], ['a'], []]);
});
