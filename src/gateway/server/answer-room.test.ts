import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { createAnswerRoom } from './answer-room.ts';

test('the answers that wait never take more than the room, and those that waited longest go', async () => {
  const step = fc.oneof(fc.record({ bytes: fc.integer({ min: 1, max: 60 }) }), fc.record({ drain: fc.nat(20) }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const room = createAnswerRoom();
      const answers: { bytes: number; state: string; drain: () => void }[] = [];
      for (const one of steps) {
        if ('drain' in one) answers[one.drain]?.drain();
        else {
          const answer = { bytes: one.bytes, state: 'waits', drain: () => {} };
          answers.push(answer);
          const promise = new Promise<void>((resolve) => Object.assign(answer, { drain: resolve }));
          room.wait(promise, one.bytes, 100).then(
            () => Object.assign(answer, { state: 'read' }),
            () => Object.assign(answer, { state: 'dropped' }),
          );
        }
        await new Promise(setImmediate);
        const waits = answers.filter(({ state }) => state === 'waits');
        expect(waits.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(100);
        const lastDropped = answers.findLastIndex(({ state }) => state === 'dropped');
        expect(answers.slice(0, Math.max(0, lastDropped)).filter(({ state }) => state === 'waits')).toEqual([]);
      }
    }),
    { numRuns: runs(200) },
  );
});

test('an answer that is larger than the room may wait alone', async () => {
  const room = createAnswerRoom();
  await room.wait(Promise.resolve(), 1000, 1);
  const first = room.wait(new Promise(() => {}), 1000, 1);
  await room.wait(Promise.resolve(), 1000, 1);
  await expect(first).rejects.toThrow('this client has waited longest');
});
