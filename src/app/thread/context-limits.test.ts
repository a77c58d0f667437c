import { expect, test } from 'vitest';
import { compactionOf } from './context-limits.ts';

const config = { window: null, limit: null, prompt: null, promptFile: null };

test.each([
  ['most of the window that is known', {}, 90_000],
  ['the limit that is set', { limit: 50_000 }, 50_000],
  ['no more than most of the window', { limit: 99_000 }, 90_000],
  ['most of the window that is set', { window: 10_000, limit: 50_000 }, 9000],
  ['never', { limit: Number.POSITIVE_INFINITY }, Number.POSITIVE_INFINITY],
])('a thread may have %s', (_, given, limit) => {
  expect(compactionOf({ ...config, ...given }, 100_000).limit).toBe(limit);
});

test('the prompt is ours unless another one is configured', async () => {
  expect(await compactionOf(config, 1).prompt()).toMatch(/^The history of this thread has become too long/);
  expect(await compactionOf({ ...config, prompt: ' Sum up. ' }, 1).prompt()).toBe('Sum up.');
  await expect(compactionOf({ ...config, promptFile: '/nowhere/p.md' }, 1).prompt()).rejects.toThrow(
    'experimental_compact_prompt_file cannot be read',
  );
});
