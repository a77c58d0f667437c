import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import { anyCut, anyDamage, anyDisorder, anyStrangeFrame } from '../fixtures/damaged-frames.ts';
import { brokenAnswer } from './fixtures/broken-answer.ts';
import { healthyAnswer } from './fixtures/healthy-answer.ts';
import { type RepairedAnswer, repair } from './fixtures/repair-lines.ts';

/** Repairs an answer, and checks that it is sound and that a second repair changes nothing. */
function repaired(frames: readonly Frame[]): RepairedAnswer {
  return repair(frames.map(({ data }) => data));
}

describe('a healthy answer', () => {
  test('passes unchanged', () => {
    fc.assert(
      fc.property(healthyAnswer, ({ frames, calls, text }) => {
        const answer = repaired(frames);
        expect(answer.ids).toEqual([]);
        expect(answer.data).toEqual(frames.map(({ data }) => data));
        expect(answer).toMatchObject({ calls, text });
      }),
      { numRuns: runs(1000) },
    );
  });

  test('that breaks off has only whole calls and the beginning of its text, and ends well only with a call', () => {
    fc.assert(
      fc.property(healthyAnswer, anyCut, ({ frames, calls, text }, cut) => {
        const sent = cut(frames);
        const answer = repaired(sent);
        expect(answer.calls).toEqual(calls.slice(0, answer.calls.length));
        expect(text.startsWith(answer.text)).toBe(true);
        if (sent.at(-1) !== frames.at(-1) && answer.calls.length === 0)
          expect(isDone(sent) || ['open', 'failed'].includes(String(answer.end))).toBe(true);
      }),
      { numRuns: runs(1500) },
    );
  });

  test('whose lines are lost, repeated or moved has no calls but its own', () => {
    fc.assert(
      fc.property(healthyAnswer, anyDisorder, ({ frames }, disorder) => {
        const sent = disorder(frames);
        const begun = sent.flatMap(({ data }) =>
          [...data.matchAll(/"function":\{"name":"(\w+)"/g)].map(([, name]) => name),
        );
        const names = repaired(sent).calls.map(({ name }) => name);
        for (const name of new Set(names)) expect(count(names, name)).toBeLessThanOrEqual(count(begun, name));
      }),
      { numRuns: runs(1500) },
    );
  });
});

describe('any answer', () => {
  test('that was repaired is sound, and needs no second repair', () => {
    fc.assert(
      fc.property(brokenAnswer, (lines) => void repair(lines)),
      { numRuns: runs(1500) },
    );
  });

  test('that was damaged is sound after its repair, and needs no second one', () => {
    fc.assert(
      fc.property(healthyAnswer, anyDamage, ({ frames }, damage) => void repaired(damage(frames))),
      { numRuns: runs(1500) },
    );
  });

  test('of strange lines alone has no call', () => {
    fc.assert(
      fc.property(fc.array(anyStrangeFrame(), { maxLength: 8 }), (frames) => {
        expect(repaired(frames).calls).toEqual([]);
      }),
      { numRuns: runs(500) },
    );
  });
});

/** Reports whether the last line came whole. */
function isDone(sent: readonly Frame[]): boolean {
  try {
    const line: unknown = JSON.parse(sent.at(-1)?.data ?? '');
    return isRecord(line) && line.done === true;
  } catch {
    return false;
  }
}

function count(names: readonly unknown[], name: unknown): number {
  return names.filter((one) => one === name).length;
}
