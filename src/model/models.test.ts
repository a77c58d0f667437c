import { expect, test } from 'vitest';
import { modelFacts } from './models.ts';

test.each(['gpt-5.5', 'gpt-5', 'gpt-6-mini', 'codex-large'])('%s is limited by tokens', (slug) => {
  expect(modelFacts(slug)).toEqual({
    textLimit: { unit: 'tokens', limit: 10_000 },
    contextWindow: 272_000,
    reasoningSummary: 'auto',
  });
});

test.each(['glm-4.6', 'my-gpt-5', 'gpt-4o', ''])('of "%s" nothing is known', (slug) => {
  expect(modelFacts(slug)).toEqual({
    textLimit: { unit: 'bytes', limit: 10_000 },
    contextWindow: 272_000,
    reasoningSummary: 'auto',
  });
});
