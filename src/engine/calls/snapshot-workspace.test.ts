import { expect, test } from 'vitest';
import type { LogLine } from '../../base/log.ts';
import type { Turn, WorkspaceSnapshot } from '../turn-setup.ts';
import { snapshotWorkspace } from './snapshot-workspace.ts';

/** Returns the parts of a turn that a snapshot needs. */
function turnWith(take?: (signal: AbortSignal) => Promise<WorkspaceSnapshot>) {
  const lines: LogLine[] = [];
  const stop = new AbortController();
  const turn = {
    id: 't1',
    signal: stop.signal,
    thread: take ? { snapshotWorkspace: take } : {},
    workspaceSnapshot: null,
    note: async (line: LogLine) => void lines.push(line),
  } as unknown as Turn;
  return { turn, lines, abort: () => stop.abort(new Error('interrupted')) };
}

const snapshot = (fields: object) => ({ type: 'oxbow', payload: { kind: 'snapshot', turn_id: 't1', ...fields } });

test('concurrent actions wait for one snapshot, and later actions take no other', async () => {
  let made = 0;
  let finish: (taken: WorkspaceSnapshot) => void = () => {};
  const { turn, lines } = turnWith(() => {
    made++;
    return new Promise((resolve) => (finish = resolve));
  });
  let ready = 0;
  const both = Promise.all([1, 2].map(() => snapshotWorkspace(turn).then(() => ready++)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(ready).toBe(0);
  finish({ tree: 'abc' });
  await both;
  await snapshotWorkspace(turn);
  expect(made).toBe(1);
  expect(lines).toEqual([snapshot({ tree: 'abc' })]);
});

test('a failed snapshot is recorded with its reason, and fails nothing', async () => {
  const told = turnWith(async () => ({ reason: 'it is too large' }));
  await snapshotWorkspace(told.turn);
  expect(told.lines).toEqual([snapshot({ tree: null, reason: 'it is too large' })]);
  const thrown = turnWith(async () => {
    throw new Error('a bug');
  });
  await snapshotWorkspace(thrown.turn);
  expect(thrown.lines).toEqual([snapshot({ tree: null, reason: 'a bug' })]);
});

test('an action of an interrupted turn does not begin, and no line is written', async () => {
  const { turn, lines, abort } = turnWith(async (signal) => {
    abort();
    signal.throwIfAborted();
    return { tree: 'abc' };
  });
  await expect(snapshotWorkspace(turn)).rejects.toThrow('interrupted');
  expect(lines).toEqual([]);
});

test('nothing happens if snapshots are off', async () => {
  const { turn, lines } = turnWith();
  await snapshotWorkspace(turn);
  expect(lines).toEqual([]);
});
