import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { checkScreen, lateRuns, screenRuns } from '../../../test/harness/screen-properties.ts';

test('whatever happens, no committed line is lost, and the live region is as a fresh draw', async () => {
  await fc.assert(
    fc.asyncProperty(screenRuns(20), async (run) => {
      const { lost } = await checkScreen(run);
      expect(lost).toBe(0);
    }),
    { numRuns: runs(300), interruptAfterTimeLimit: 120_000 },
  );
}, 400_000);

test('frames for a size that the terminal no longer has lose no committed line', async () => {
  await fc.assert(
    fc.asyncProperty(lateRuns(8), async (run) => {
      const { lost } = await checkScreen(run);
      expect(lost).toBe(0);
    }),
    { numRuns: runs(300), interruptAfterTimeLimit: 120_000 },
  );
}, 400_000);
