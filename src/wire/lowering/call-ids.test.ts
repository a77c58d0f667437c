import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { madeCallId, sentIds } from './call-ids.ts';

const NINE = /^[A-Za-z0-9]{9}$/;
const anyId = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.stringMatching(/^[A-Za-z0-9]{9}$/),
  fc.constantFrom('call_1', 'call_2', 'functions.f:0', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(66)),
);
const anyIds = fc.array(anyId, { maxLength: 30 });

describe.each(['any', 'nine'] as const)('ids for a server that accepts %s', (style) => {
  test('of a call and its output stay equal, and different ids stay different', () => {
    fc.assert(
      fc.property(anyIds, (ids) => {
        const idOf = sentIds(style);
        const sent = ids.map(idOf);
        expect(ids.map(idOf)).toEqual(sent);
        expect(new Set(sent).size).toBe(new Set(ids).size);
        for (const id of sent) expect(id.length).toBeLessThanOrEqual(64);
      }),
    );
  });

  test('are the same in the next, longer request', () => {
    fc.assert(
      fc.property(anyIds, anyIds, (ids, more) => {
        const sent = ids.map(sentIds(style));
        expect([...ids, ...more].map(sentIds(style)).slice(0, ids.length)).toEqual(sent);
      }),
    );
  });
});

describe('ids of any form', () => {
  test('are sent unchanged up to 64 characters', () => {
    const idOf = sentIds('any');
    for (const id of ['', 'call_1', 'x'.repeat(64)]) expect(idOf(id)).toBe(id);
    expect(idOf('x'.repeat(65))).toMatch(/^call_[0-9a-f]{28}$/);
    expect(idOf('x'.repeat(65))).toBe(madeCallId('x'.repeat(65)));
  });
});

describe('ids of nine letters and digits', () => {
  test('are made of other ids, and kept if they have that form', () => {
    fc.assert(fc.property(anyId, (id) => NINE.test(sentIds('nine')(id))));
    expect(sentIds('nine')('aB3dE6gH9')).toBe('aB3dE6gH9');
  });

  test('are made again if another call has the same', () => {
    const made = sentIds('nine')('call_1');
    for (const ids of [
      ['call_1', made],
      [made, 'call_1'],
    ]) {
      const idOf = sentIds('nine');
      const [first, second] = ids.map(idOf);
      expect(first).toBe(made);
      expect(second).toMatch(NINE);
      expect(second).not.toBe(made);
      expect(ids.map(idOf)).toEqual([first, second]);
    }
  });

  test('do not collide in a long thread', () => {
    const taken = new Set<string>();
    // Each id gets its own mapping, so that collisions are not resolved.
    for (let n = 0; n < 100_000; n++) taken.add(sentIds('nine')(`call_${n}`));
    expect(taken.size).toBe(100_000);
  });
});
