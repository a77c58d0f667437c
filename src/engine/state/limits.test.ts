import { describe, expect, test } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { NO_USAGE, type Usage } from '../../base/usage.ts';
import { createLimits, LimitReached } from './limits.ts';

const price = (usage: Usage) => usage.inputTokens * 0.01 + usage.outputTokens * 0.1;
const took = { usage: NO_USAGE, cost: 0, sentBytes: 0, receivedBytes: 0 };

describe('the cost limit', () => {
  test('allows requests until it is reached', () => {
    const limits = createLimits({ maxCost: 0.5 }, price, 'm');
    limits.beforeRequest();
    limits.afterResponse({ ...took, cost: 0.49 });
    limits.beforeRequest();
    limits.afterResponse({ ...took, cost: 0.02 });
    expect(() => limits.beforeRequest()).toThrow(LimitReached);
    expect(() => limits.beforeRequest()).toThrow(expect.objectContaining({ limit: 'cost', value: 0.5 }));
    expect(() => limits.check()).toThrow('The limit of $0.5 was reached: $0.5100 spent.');
  });

  test('counts an estimate for a response without usage', () => {
    const limits = createLimits({ maxCost: 2 }, price, 'm');
    limits.afterResponse({ usage: null, cost: null, sentBytes: 400, receivedBytes: 36 });
    limits.check();
    limits.afterResponse({ usage: null, cost: null, sentBytes: 0, receivedBytes: 4 });
    expect(() => limits.check()).toThrow('$2.0000 spent');
  });

  test('is refused if the price is unknown', () => {
    expect(() => createLimits({ maxCost: 1 }, () => null, 'a/b')).toThrow(UserError);
    expect(() => createLimits({ maxCost: 1 }, () => null, 'a/b')).toThrow('[model_prices."a/b"]\ninput = 1.0');
    createLimits({ maxTokens: 1 }, () => null, 'a/b').check();
  });
});

test('the token limit also counts an estimate for a response without usage', () => {
  const limits = createLimits({ maxTokens: 100 }, () => null, 'm');
  limits.afterResponse({ ...took, usage: { ...NO_USAGE, totalTokens: 40 } });
  limits.afterResponse({ usage: null, cost: null, sentBytes: 200, receivedBytes: 40 });
  expect(() => limits.check()).toThrow('The limit of 100 tokens was reached: 100 used.');
});
