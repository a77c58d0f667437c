import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { brokenMessage } from './fixtures/broken-message.ts';
import { repairOnce } from './fixtures/repair-events.ts';

const bare = ({ event, data }: { readonly event?: string; readonly data: string }) => ({ event, data });

describe('any stream', () => {
  test('that was repaired is sound, and needs no second repair', () => {
    fc.assert(
      fc.property(brokenMessage, (frames) => {
        const once = repairOnce(frames);
        const again = repairOnce(
          once.frames.map(bare).map(({ event, data }) => (event === undefined ? { data } : { event, data })),
        );
        expect(again.ids).toEqual([]);
        expect(again.frames.map(bare)).toEqual(once.frames.map(bare));
        expect(once.faults.filter((fault) => !/unknown event|undefined/.test(fault))).toEqual([]);
      }),
      { numRuns: runs(1500) },
    );
  });
});
