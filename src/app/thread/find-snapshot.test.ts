import { describe, expect, test } from 'vitest';
import type { LogLine, OxbowLine } from '../../base/log.ts';
import { findSnapshot } from './find-snapshot.ts';

const own = (payload: OxbowLine): LogLine => ({ type: 'oxbow', payload });
const began = (turn: number): LogLine => ({
  type: 'event_msg',
  payload: { type: 'task_started', turn_id: `t${turn}` },
});
const said = (text: string): LogLine => ({
  type: 'response_item',
  payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
const asked: LogLine[] = [
  own({ kind: 'request.started', request: 1, attempt: 1 }),
  { type: 'response_item', payload: { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c' } },
];
const changed = own({ kind: 'call.started', call_id: 'c' });
const looked = own({ kind: 'call.started', call_id: 'c', read_only: true });
const kept = (turn: number, tree: string | null, reason?: string) =>
  own({ kind: 'snapshot', turn_id: `t${turn}`, tree, ...(reason === undefined ? {} : { reason }) });

const turn = (number: number, ...lines: LogLine[]) => [began(number), said(`do ${number}`), ...lines];

async function* linesOf(...turns: LogLine[][]): AsyncGenerator<{ readonly line: LogLine }> {
  for (const line of turns.flat()) yield { line };
}

describe('the snapshot before a turn', () => {
  const log = () =>
    linesOf(
      turn(1, ...asked, looked),
      turn(2, ...asked, kept(2, 'two'), changed),
      turn(3, ...asked),
      turn(4, ...asked, kept(4, null, 'it is too large'), changed),
      turn(5, ...asked, looked),
      turn(6, ...asked, kept(6, 'six'), changed),
      turn(7, ...asked, looked),
    );

  test.each([
    [1, 'two'],
    [2, 'two'],
    [5, 'six'],
    [6, 'six'],
    [7, null],
  ])('of turn %i is %s, that of the next turn with a change', async (number, tree) => {
    expect(await findSnapshot(log(), number)).toEqual({ tree });
  });

  test('that was not kept is an error with the reason and the existing snapshots', async () => {
    await expect(findSnapshot(log(), 4)).rejects.toThrow(
      'The workspace was not kept before turn 4: it is too large. Turns with a snapshot: 2, 6.',
    );
    await expect(findSnapshot(log(), 3)).rejects.toThrow(
      'Turn 3 changed nothing. The workspace was not kept before turn 4: it is too large. Turns with a snapshot: 2, 6.',
    );
    await expect(findSnapshot(log(), 8)).rejects.toThrow('The thread has no turn 8. Turns with a snapshot: 2, 6.');
  });
});

test('a turn that changed something while snapshots were off has no snapshot', async () => {
  await expect(findSnapshot(linesOf(turn(1, ...asked, changed)), 1)).rejects.toThrow(
    /^The workspace was not kept before turn 1\. No turn of it has a snapshot; \[snapshots\] enabled = true/,
  );
});

test('calls of another program may have changed anything', async () => {
  const calls = asked.filter(({ type }) => type === 'response_item');
  await expect(findSnapshot(linesOf(turn(1, ...calls)), 1)).rejects.toThrow(/not kept before turn 1/);
});

test('the changes of a turn that was rolled back still count', async () => {
  const back: LogLine = { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } };
  const lines = () =>
    linesOf(
      turn(1),
      turn(2, ...asked, kept(2, 'taken back'), changed, back),
      turn(3, ...asked, kept(3, 'new'), changed),
    );
  expect(await findSnapshot(lines(), 1)).toEqual({ tree: 'taken back' });
  expect(await findSnapshot(lines(), 2)).toEqual({ tree: 'new' });
});
