import fc from 'fast-check';
import { expect } from 'vitest';
import type { Size } from '../../src/tui/screen/frame.ts';
import { type ScreenSceneOptions, type ScreenStep, type ShowStep, startScreenScene } from './screen-scene.ts';

/** A terminal and the things that happen on it. */
export interface ScreenRun {
  readonly options: Omit<ScreenSceneOptions, 'split'>;
  readonly pieces: readonly number[];
  readonly steps: readonly ScreenStep[];
}

export interface ScreenTally {
  readonly resizes: number;
  readonly committed: number;
  readonly lost: number;
  readonly stale: number;
  /** Most bytes that a resize wrote. */
  readonly mostBytes: number;
}

const CHARACTERS = [
  ...'abcdefgh   ',
  ...['日', '本', '語', 'ñ', 'e\u0301', 'Ж', '…', '—', '·', '─', '한'],
  ...['😀', '🎉', '👩\u200d🚀', '🇩🇪', '👍🏽', '❤\ufe0f', '🫠', 'न\u0940'],
];
const word = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(...'abcdefghijk  '), maxLength: 60, size: 'max' }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 40, size: 'max' }) },
);
const rowText = fc.array(word, { maxLength: 3, size: 'max' }).map((words) => words.join(' '));
/** The number makes the row unlike others. It is short, since narrow terminals cut it. */
const committedRow = fc.tuple(fc.nat(999), rowText).map(([number, text]) => `#${number} ${text}`);
const sizes = (leastRows: number): fc.Arbitrary<Size> =>
  fc.record({
    columns: fc.oneof(fc.integer({ min: 2, max: 120 }), fc.integer({ min: 20, max: 60 })),
    rows: fc.oneof(fc.integer({ min: leastRows, max: 50 }), fc.integer({ min: leastRows, max: leastRows + 10 })),
  });

const show: fc.Arbitrary<ShowStep> = fc.record({
  type: fc.constant('show' as const),
  commit: fc.array(committedRow, { maxLength: 4, size: 'max' }),
  live: fc.array(rowText, { maxLength: 8, size: 'max' }),
  caret: fc.nat(8),
});

const stepsOf = (size: fc.Arbitrary<Size>): fc.Arbitrary<ScreenStep> =>
  fc.oneof(
    { weight: 6, arbitrary: show },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('finish' as const), rows: fc.integer({ min: 1, max: 3 }) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('key' as const), text: fc.constantFrom(...CHARACTERS) }) },
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('resize' as const),
        sizes: fc.array(size, { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant('page' as const),
        rows: fc.array(rowText, { maxLength: 60, size: 'max' }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('redraw' as const, 'suspend' as const) }) },
  );

/** Returns runs with this number of steps. A terminal with few rows cannot show the whole live region. */
export const screenRuns = (steps: number, leastRows = 1): fc.Arbitrary<ScreenRun> =>
  fc.record({
    options: fc.record({
      size: sizes(leastRows),
      reflow: fc.boolean(),
      caretReflow: fc.boolean(),
      isTold: fc.boolean(),
      reports: fc.boolean(),
      isLate: fc.boolean(),
    }),
    pieces: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
    steps: fc.array(stepsOf(sizes(leastRows)), { maxLength: steps, size: 'max' }),
  });

/** Returns runs on a terminal that wraps rows, and whose size the screen learns after frames for another one. */
export const lateRuns = (steps: number): fc.Arbitrary<ScreenRun> => {
  const size = fc.record({ columns: fc.integer({ min: 10, max: 120 }), rows: fc.integer({ min: 10, max: 50 }) });
  const late = fc.record({
    type: fc.constant('late' as const),
    sizes: fc.array(size, { minLength: 1, maxLength: 3 }),
    frames: fc.array(show, { minLength: 1, maxLength: 3 }),
  });
  return fc.record({
    options: fc.record({
      size,
      reflow: fc.constant(true),
      caretReflow: fc.boolean(),
      isTold: fc.boolean(),
      reports: fc.boolean(),
      isLate: fc.constant(true),
    }),
    pieces: fc.constant([30]),
    steps: fc.array(fc.oneof(show, late), { maxLength: steps, size: 'max' }),
  });
};

const ESCAPE = String.fromCharCode(0x1b);
const PAGE = new RegExp(`${ESCAPE}\\[\\?1049h.*?(?:${ESCAPE}\\[\\?1049l|$)`, 'gs');
const UP_TO_PAGE_END = new RegExp(`^.*${ESCAPE}\\[\\?1049l`, 's');
/** Clears, scrolls, regions, absolute places, mouse, the alternate screen. */
const FORBIDDEN = new RegExp(`${ESCAPE}\\[(?:[123]J|\\d*[ST]|[\\d;]*r|[\\d;]*[Hfd]|\\?100[0-36]h|\\?1049h)`);

/** Runs the steps. Expects after each that the screen is right, and returns what was counted. */
export async function checkScreen({ options, pieces, steps }: ScreenRun): Promise<ScreenTally> {
  let piece = 0;
  const scene = startScreenScene({ ...options, split: () => pieces[piece++ % pieces.length] ?? 1 });
  let resizes = 0;
  let mostBytes = 0;
  let isPage = false;
  for (const one of steps) {
    await scene.step(one);
    const found = await scene.find();
    const bytes = isPage ? scene.bytes().replace(UP_TO_PAGE_END, '') : scene.bytes().replace(PAGE, '');
    if (!(isPage && found.isPage)) expect(bytes).not.toMatch(FORBIDDEN);
    isPage = found.isPage;
    if (one.type === 'resize' || one.type === 'late') {
      resizes += one.sizes.length;
      if (!isPage) mostBytes = Math.max(mostBytes, Buffer.byteLength(scene.bytes()));
    }
    expect(found.lost).toEqual([]);
    if (isPage) continue;
    expect(found.live).toEqual(found.fresh);
    expect(found.below).toBe('');
  }
  const { committed, lost, stale } = await scene.find();
  await scene.close();
  return { resizes, committed, lost: lost.length, stale: stale.length, mostBytes };
}
