import { expect, test } from 'vitest';
import type { WorkspaceSnapshot } from '../../engine/turn-setup.ts';
import { createBackgroundSnapshots } from './background-snapshots.ts';

/** Returns snapshots that end when the test says so. */
function heldSnapshots() {
  const taking: { readonly signal: AbortSignal; finish(taken: WorkspaceSnapshot): void }[] = [];
  const snapshots = createBackgroundSnapshots(
    (signal) =>
      new Promise((resolve, reject) => {
        taking.push({ signal, finish: resolve });
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  );
  return { snapshots, taking };
}

const { signal: never } = new AbortController();
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a turn has one snapshot, however often it is begun and waited for', async () => {
  const { snapshots, taking } = heldSnapshots();
  snapshots.begin();
  snapshots.begin();
  await settled();
  expect(taking).toHaveLength(1);
  const waiting = [snapshots.take(never), snapshots.take(never)];
  taking[0]?.finish({ tree: 'one' });
  expect(await Promise.all(waiting)).toEqual([{ tree: 'one' }, { tree: 'one' }]);
  snapshots.begin();
  expect(await snapshots.take(never)).toEqual({ tree: 'one' });
  snapshots.end();
  const next = snapshots.take(never);
  await settled();
  taking[1]?.finish({ tree: 'two' });
  expect(await next).toEqual({ tree: 'two' });
});

test('a snapshot that nothing waits for is given up with its turn, and the next one begins after it', async () => {
  const { snapshots, taking } = heldSnapshots();
  snapshots.begin();
  await settled();
  snapshots.end();
  expect(taking[0]?.signal.aborted).toBe(true);
  await snapshots.idle();
  snapshots.begin();
  await settled();
  expect(taking).toHaveLength(2);
});

test('an interrupted turn stops its snapshot', async () => {
  const { snapshots, taking } = heldSnapshots();
  snapshots.begin();
  const stop = new AbortController();
  const taken = snapshots.take(stop.signal);
  await settled();
  stop.abort(new Error('interrupted'));
  await expect(taken).rejects.toThrow('interrupted');
  expect(taking[0]?.signal.aborted).toBe(true);
});
