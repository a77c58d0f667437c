import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../harness/runs.ts';
import { checkScreen, type ScreenRun, type ScreenTally, screenRuns } from '../../harness/screen-properties.ts';

test.each([
  { resizes: 10_000, leastRows: 1 },
  { resizes: 2_000, leastRows: 20 },
])(
  '$resizes random resizes down to $leastRows rows lose no committed line, and leave few rows behind',
  async (wanted) => {
    const tallies: Record<string, ScreenTally> = {};
    const goal = runs(wanted.resizes);
    while (total(tallies, 'resizes') < goal) {
      for (const run of fc.sample(screenRuns(40, wanted.leastRows), 20)) {
        const kind = kindOf(run);
        tallies[kind] = sum(tallies[kind], await checkScreen(run));
      }
    }
    console.table(tallies);
    expect(total(tallies, 'lost')).toBe(0);
    expect(total(tallies, 'stale')).toBeLessThan(total(tallies, 'resizes'));
    for (const { mostBytes } of Object.values(tallies)) expect(mostBytes).toBeLessThanOrEqual(4096);
  },
);

function kindOf({ options: { reflow, isTold, caretReflow, reports } }: ScreenRun): string {
  if (!reflow) return 'cuts';
  const more = [caretReflow && 'the caret too', isTold && 'known', reports && caretReflow && 'reported'];
  return ['wraps', ...more.filter((one) => one !== false)].join(', ');
}

const NONE: ScreenTally = { resizes: 0, committed: 0, lost: 0, stale: 0, mostBytes: 0 };

function sum(a: ScreenTally = NONE, b: ScreenTally): ScreenTally {
  return {
    resizes: a.resizes + b.resizes,
    committed: a.committed + b.committed,
    lost: a.lost + b.lost,
    stale: a.stale + b.stale,
    mostBytes: Math.max(a.mostBytes, b.mostBytes),
  };
}

const total = (tallies: Readonly<Record<string, ScreenTally>>, field: keyof ScreenTally) =>
  Object.values(tallies).reduce((sum, tally) => sum + tally[field], 0);
