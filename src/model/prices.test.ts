import { describe, expect, test } from 'vitest';
import { NO_USAGE } from '../base/usage.ts';
import { priceOf } from './prices.ts';

const OPENAI = { id: 'openai', baseUrl: 'https://api.openai.com/v1' };
const usage = (fields: Partial<typeof NO_USAGE>) => ({ ...NO_USAGE, ...fields });
const million = usage({ inputTokens: 1e6, outputTokens: 1e6 });

const price = (model: string, provider = OPENAI, configured = {}) => priceOf({ provider, model, configured });

describe('priceOf', () => {
  test('counts fresh, cached and written input and output, each at its price', () => {
    const tokens = usage({ inputTokens: 1000, cachedInputTokens: 600, cacheWriteInputTokens: 100, outputTokens: 50 });
    expect(price('gpt-6-astra')(tokens)).toBe((300 * 10 + 600 * 1 + 100 * 12.5 + 50 * 50) / 1e6);
    // Tokens written to a cache cost as much as other input where they have no price of their own.
    expect(price('gpt-5')(tokens)).toBe((400 * 1.25 + 600 * 0.125 + 50 * 10) / 1e6);
    expect(price('gpt-5')(NO_USAGE)).toBe(0);
  });

  test('all tokens of a long request cost more', () => {
    const at = (inputTokens: number) => price('gpt-5.5')(usage({ inputTokens, outputTokens: 1000 }));
    expect(at(272_000)).toBe((272_000 * 5 + 1000 * 30) / 1e6);
    expect(at(272_001)).toBe((272_001 * 10 + 1000 * 45) / 1e6);
    expect(price('gpt-5')(usage({ inputTokens: 300_000 }))).toBe(0.375);
  });

  test.each(['gpt-5-2025-08-07', 'GPT-5', 'gpt-5-20250807'])('%s is gpt-5 by another name', (model) => {
    expect(price(model)(million)).toBe(11.25);
  });

  test.each(['gpt-5-pro', 'gpt-5.9', 'gpt-50', 'gpt-5.5-pro', 'gpt', 'llama', 'constructor'])(
    '%s is another model, whose price is not known',
    (model) => {
      expect(price(model)(million)).toBeNull();
    },
  );

  test.each([
    ['on this machine', 'http://127.0.0.1:8000/v1'],
    ['at a proxy', 'https://proxy.example/api.openai.com/v1'],
    ['with the sign-in of a plan', 'https://chatgpt.com/backend-api/codex'],
    ['at another host of that name', 'https://api.openai.com.example/v1'],
  ])('the same model %s has no known price', (_where, baseUrl) => {
    expect(price('gpt-5', { id: 'openai', baseUrl })(million)).toBeNull();
  });

  test("the user's prices count everywhere, those for a provider first", () => {
    const configured = {
      'gpt-5': { input: 1, output: 2 },
      'mine/gpt-5': { input: 3, cachedInput: 0, output: 4 },
    };
    const mine = { id: 'mine', baseUrl: 'http://localhost:1/v1' };
    expect(price('gpt-5', OPENAI, configured)(million)).toBe(3);
    expect(price('gpt-5', mine, configured)(million)).toBe(7);
    expect(price('gpt-5', mine, configured)(usage({ inputTokens: 10, cachedInputTokens: 10 }))).toBe(0);
    expect(price('gpt-5', OPENAI, configured)(usage({ inputTokens: 10, cachedInputTokens: 10 }))).toBe(0.00001);
    expect(price('toString', mine, configured)(million)).toBeNull();
  });
});
