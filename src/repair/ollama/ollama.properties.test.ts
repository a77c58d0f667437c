import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { brokenAnswer } from './fixtures/broken-answer.ts';
import { repair } from './fixtures/repair-lines.ts';

test('any answer that was repaired is sound, and needs no second repair', () => {
  fc.assert(
    fc.property(brokenAnswer, (lines) => void repair(lines)),
    { numRuns: runs(1500) },
  );
});
