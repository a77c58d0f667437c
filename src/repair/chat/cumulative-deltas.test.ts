import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCumulativeDeltas } from './cumulative-deltas.ts';

/** Returns the joined output of pieces. */
function read(pieces: readonly string[]): string {
  const snapshots = createCumulativeDeltas();
  return [...pieces.map((piece) => snapshots.push(piece) ?? ''), snapshots.end()].join('');
}

describe('pieces that continue', () => {
  test.each([
    [['a', 'b', 'c']],
    [['no ', 'no ', 'yes']],
    [['1', '10', '100']],
    [['ha', 'haha', 'ha']],
    [['--------', '----------------', '----------------']],
    [['We need', 'to', 'We need to']],
  ])('%j is not shortened', (pieces) => {
    expect(read(pieces)).toBe(pieces.join(''));
  });

  test('are returned at once, except for one that looks like a repetition', () => {
    const snapshots = createCumulativeDeltas();
    expect(snapshots.push('no ')).toBe('no ');
    expect(snapshots.push('no ')).toBeUndefined();
    expect(snapshots.push('yes')).toBe('no yes');
    expect(snapshots.end()).toBe('');
    expect(snapshots.repeats()).toBe(false);
  });
});

describe('pieces that repeat everything before them', () => {
  test.each([
    [['The user asks', 'The user asks for it', 'The user asks for it.']],
    [['The', 'The user', 'The user asks']],
    [['The user', 'The user', 'The user asks', 'The user asks']],
    [['A long enough text', 'A long enough text']],
  ])('%j is said once', (pieces) => {
    expect(read(pieces)).toBe(pieces.at(-1));
  });

  test('may come after pieces that continue', () => {
    expect(read(['The user', ' asks', 'The user asks for it'])).toBe('The user asks for it');
  });

  test('may be followed by pieces that continue', () => {
    expect(read(['The user', 'The user asks', ' for it'])).toBe('The user asks for it');
  });

  test('are recognized however the text grows', () => {
    const words = fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(words, (parts) => {
        const text = ['The user asks ', ...parts];
        const snapshots = text.map((_, n) => text.slice(0, n + 1).join(''));
        expect(read(snapshots)).toBe(text.join(''));
      }),
    );
  });
});
