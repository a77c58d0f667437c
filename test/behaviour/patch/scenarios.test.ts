import { describe, expect, test } from 'vitest';
import { applyInMemory } from './apply-in-memory.ts';
import { readScenarios } from './read-scenarios.ts';

const scenarios = readScenarios();

test('there are scenarios', () => {
  expect(scenarios.length).toBeGreaterThan(100);
});

describe('a patch turns a tree into the result of the scenario', () => {
  test.each(scenarios)('$name', ({ before, patch, after, error }) => {
    const applied = applyInMemory(before, patch);
    expect(applied.error?.slice(0, error?.length)).toBe(error);
    expect(Object.fromEntries(applied.tree)).toEqual(Object.fromEntries(after));
  });
});
