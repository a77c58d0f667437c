import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Log, LogLine } from '../../base/log.ts';
import { createRecorder } from './recorder.ts';
import { emptyState, type ThreadState } from './thread-state.ts';

const queued = (id: string): LogLine => ({ type: 'oxbow', payload: { kind: 'input.queued', id, content: [] } });
const ids = ({ queue }: ThreadState) => queue.map(({ id }) => id);

/** Returns a log whose appends end on demand, in the order of the calls. */
function heldLog(pipelined = true) {
  const kept: LogLine[] = [];
  const calls: { readonly lines: readonly LogLine[]; keep(): void; fail(error: Error): void }[] = [];
  const append = (lines: readonly LogLine[]) =>
    new Promise<void>((resolve, reject) => {
      calls.push({
        lines,
        keep() {
          kept.push(...lines);
          resolve();
        },
        fail: reject,
      });
    });
  const state = emptyState();
  const log = { append, pipelined } as unknown as Log;
  return { kept, calls, state, recorder: createRecorder(log, state) };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

async function isDone(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), soon().then(() => false)]);
}

test('with a pipelined log, notes do not wait, and a record waits for all notes before it', async () => {
  const { calls, state, recorder } = heldLog();
  await recorder.note(queued('a'), queued('b'));
  await recorder.note(queued('c'));
  const recorded = recorder.record(queued('d'));
  expect(calls.map(({ lines }) => lines.length)).toEqual([2, 1, 1]);
  expect(ids(state)).toEqual([]);
  calls[0]?.keep();
  calls[1]?.keep();
  expect(await isDone(recorded)).toBe(false);
  expect(ids(state)).toEqual(['a', 'b', 'c']);
  calls[2]?.keep();
  await recorded;
  expect(ids(state)).toEqual(['a', 'b', 'c', 'd']);
});

test('with any other log, notes wait too', async () => {
  const { calls, state, recorder } = heldLog(false);
  const noted = recorder.note(queued('a'));
  expect(await isDone(noted)).toBe(false);
  calls[0]?.keep();
  await noted;
  expect(ids(state)).toEqual(['a']);
});

test('the failure of a note is thrown once, by the next call that waits, and the state agrees with the log', async () => {
  const { calls, kept, state, recorder } = heldLog();
  await recorder.note(queued('a'));
  const recorded = recorder.record(queued('b'));
  calls[0]?.fail(new Error('no room'));
  calls[1]?.fail(new Error('because of the one before'));
  await expect(recorded).rejects.toThrow('no room');
  await recorder.note(queued('c'));
  calls[2]?.fail(new Error('still no room'));
  await expect(recorder.settled()).rejects.toThrow('still no room');
  await recorder.settled();
  const again = recorder.record(queued('d'));
  calls[3]?.keep();
  await again;
  expect(ids(state)).toEqual(['d']);
  expect(kept).toEqual([queued('d')]);
});

test('a decision is made when all lines before it are in the state', async () => {
  const { calls, state, recorder } = heldLog();
  await recorder.note(queued('a'));
  let seen: string[] | undefined;
  const decided = recorder.decide(() => {
    seen = ids(state);
    return [queued('b')];
  });
  await soon();
  expect(seen).toBeUndefined();
  calls[0]?.keep();
  await soon();
  expect(seen).toEqual(['a']);
  calls[1]?.keep();
  expect(await decided).toEqual([queued('b')]);
  expect(await recorder.decide(() => [])).toEqual([]);
  expect(calls).toHaveLength(2);
});

test('with any concurrent calls, the state is the fold of the log, and decisions see all lines before them', async () => {
  const step = fc.record({ how: fc.constantFrom('record', 'note', 'decide'), rounds: fc.nat(4), pause: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), fc.boolean(), async (steps, pipelined) => {
      const kept: string[] = [];
      let last: Promise<void> = Promise.resolve();
      let calls = 0;
      const append = (lines: readonly LogLine[]) => {
        const rounds = steps[calls++ % steps.length]?.rounds ?? 0;
        last = last.then(async () => {
          for (let n = 0; n < rounds; n++) await soon();
          kept.push(...lines.map((line) => (line.payload as { id: string }).id));
        });
        return last;
      };
      const state = emptyState();
      const recorder = createRecorder({ append, pipelined } as unknown as Log, state);
      const seen = new Map<string, string[]>();
      const work = steps.map(async ({ how, pause }, n) => {
        for (let m = 0; m < pause; m++) await soon();
        if (how === 'record') await recorder.record(queued(`${n}`), queued(`${n}+`));
        if (how === 'note') await recorder.note(queued(`${n}`));
        if (how !== 'decide') return;
        await recorder.decide(() => {
          seen.set(`${n}`, ids(state));
          return [queued(`${n}`)];
        });
      });
      await Promise.all(work);
      await recorder.settled();
      expect(ids(state)).toEqual(kept);
      if (pipelined) for (const [id, before] of seen) expect(before).toEqual(kept.slice(0, kept.indexOf(id)));
    }),
    { numRuns: 100 },
  );
});
