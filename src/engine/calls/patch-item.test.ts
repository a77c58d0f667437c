import { describe, expect, test } from 'vitest';
import type { PatchAction } from '../../base/action.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { EventBody } from '../../base/event.ts';
import { changeFiles, showTurnDiff } from './patch-item.ts';
import { createTurnDiff, type GitDiff } from './turn-diff.ts';

const gitDiff: GitDiff = ({ path, before, after }) => `${path}: ${before} -> ${after}\n`;

function start() {
  const events: EventBody[] = [];
  const abort = new AbortController();
  const thread = { gitDiff: async () => gitDiff, showPath: (path: string) => path.slice(3) };
  const diff = createTurnDiff(thread.gitDiff, thread.showPath);
  const emit = (event: EventBody) => void events.push(event);
  return { turn: { id: 't', thread, diff, signal: abort.signal, emit, mention() {} }, events, abort };
}

const action = (name: string, before: string, after: string): PatchAction => ({
  kind: 'patch',
  escalate: false,
  changes: [{ type: 'update', path: `/w/${name}`, shown: name, destroys: false, before, after }],
});
const fails = (error: Error) => ({ id: 'c', callId: 'c', write: () => Promise.reject(error) });
const works = { id: 'c', callId: 'c', write: async () => {} };

describe('a change that failed', () => {
  test('is not part of the diff if nothing was written', async () => {
    const { turn, events } = start();
    await changeFiles(turn, action('a', '1', '2'), works);
    const failure = new ToolFailure('execution', 'The disk is full.', { effect: 'none' });
    await expect(changeFiles(turn, action('b', '1', '2'), fails(failure))).rejects.toBe(failure);
    await showTurnDiff(turn);
    expect(
      events.map((event) => ('item' in event ? [event.type, 'status' in event.item && event.item.status] : event)),
    ).toEqual([
      ['item.started', 'running'],
      ['item.completed', 'completed'],
      ['item.started', 'running'],
      ['item.completed', 'failed'],
      { type: 'turn.diff', diff: 'a: 1 -> 2\n' },
    ]);
  });

  test.each([new ToolFailure('execution', 'Not everything could be undone.'), new Error('bug')])(
    'leaves no diff when something may have been written: %s',
    async (failure) => {
      const { turn, events } = start();
      await changeFiles(turn, action('a', '1', '2'), works);
      await expect(changeFiles(turn, action('b', '1', '2'), fails(failure))).rejects.toBe(failure);
      await changeFiles(turn, action('c', '1', '2'), works);
      await showTurnDiff(turn);
      expect(events.filter(({ type }) => type === 'turn.diff')).toEqual([]);
      expect(events.filter(({ type }) => type === 'warning')).toEqual([
        {
          type: 'warning',
          code: 'diff',
          message: `A patch may have been applied in part, so there is no diff of this turn: ${failure.message}`,
        },
      ]);
    },
  );
});

test('nothing is written if the turn was interrupted before', async () => {
  const { turn, events, abort } = start();
  abort.abort(new Error('interrupted'));
  const write = () => Promise.reject(new Error('written'));
  await expect(changeFiles(turn, action('a', '1', '2'), { id: 'c', callId: 'c', write })).rejects.toThrow(
    'interrupted',
  );
  expect(events).toEqual([]);
});
