import { describe, expect, test } from 'vitest';
import type { ModelRequest, Sampling } from '../base/model.ts';
import type { ModelEntry } from '../base/model-entry.ts';
import { loadedWindow, withModelLimits } from './model-limits.ts';

const asking = (model: string, sampling?: Sampling): ModelRequest => ({
  model,
  instructions: '',
  input: [],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: [],
  ...(sampling && { sampling }),
});

const limited = (model: string, own?: ModelEntry, sampling?: Sampling) =>
  withModelLimits(asking(model, sampling), { needsOutputLimit: true }, own).sampling;

test('a wire without such a need gets the request as it is', () => {
  const request = asking('claude-opus-5-5');
  expect(withModelLimits(request, {})).toBe(request);
});

test('the limit of the client counts first, and its other settings stay', () => {
  expect(limited('claude-opus-5-5', { maxOutputTokens: 5 }, { maxOutputTokens: 9 })).toEqual({ maxOutputTokens: 9 });
  expect(limited('mine', {}, { temperature: 1 })).toEqual({ temperature: 1, maxOutputTokens: 32_000 });
});

test('the limit of the user is taken at its word', () => {
  expect(limited('claude-opus-5-5', { maxOutputTokens: 128_000, contextWindow: 9 })).toEqual({
    maxOutputTokens: 128_000,
  });
});

test.each([
  ['claude-opus-5-5', undefined, 64_000],
  ['anthropic/claude-haiku-4-5', undefined, 50_000],
  ['claude-of-next-year', undefined, 32_000],
  ['mine', undefined, 32_000],
  ['mine', { contextWindow: 8192 }, 2048],
  ['qwen3-8b', undefined, 10_240],
  ['qwen3-8b', { contextWindow: 2 }, 1],
] as const)('%s with the facts %j may answer with %i tokens', (model, own, maxOutputTokens) => {
  expect(limited(model, own)).toEqual({ maxOutputTokens });
});

describe('a wire that states the window', () => {
  const windowOf = (model: string, own?: ModelEntry) =>
    withModelLimits(asking(model), { usualWindow: 64_000 }, own).contextWindow;

  test('states that of the user, or a usual one that the model has', () => {
    expect(windowOf('qwen3-coder:30b')).toBe(64_000);
    expect(windowOf('qwen3-8b')).toBe(40_960);
    expect(windowOf('mine')).toBe(64_000);
    expect(windowOf('mine', { contextWindow: 200_000 })).toBe(200_000);
  });

  test('keeps that of a client', () => {
    const request = { ...asking('mine'), contextWindow: 8192 };
    expect(withModelLimits(request, { usualWindow: 64_000 }, { contextWindow: 1 })).toBe(request);
  });

  test('has no limit on the answer', () => {
    expect(withModelLimits(asking('mine'), { usualWindow: 64_000 })).not.toHaveProperty('sampling');
  });

  test('is compacted for that window', () => {
    expect(loadedWindow(272_000, 64_000)).toBe(64_000);
    expect(loadedWindow(272_000)).toBe(272_000);
  });
});
