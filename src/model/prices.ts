import type { ModelPrice } from '../base/price.ts';
import type { Provider } from '../base/provider.ts';
import type { Usage } from '../base/usage.ts';

export interface PriceOptions {
  readonly provider: Pick<Provider, 'id' | 'baseUrl'>;
  readonly model: string;
  /** The user's prices, by the name of a model or `PROVIDER/MODEL`. */
  readonly configured: Readonly<Record<string, ModelPrice>>;
}

/**
 * Returns a function that computes the cost of a response in US dollars; null where it is unknown. A price belongs to a
 * server and a model. For the same model on another server, such as this machine, only the user can set a price.
 */
export function priceOf({ provider, model, configured }: PriceOptions): (usage: Usage) => number | null {
  let rates: ModelRates | null | undefined;
  return (usage) => {
    // Looked up when the first response has come, not before.
    if (rates === undefined) rates = modelRates({ provider, model, configured }) ?? null;
    return rates && cost(usage, rates);
  };
}

/** Returns the user's price of a model, or else the built-in one. */
export function modelRates({ provider, model, configured }: PriceOptions): ModelRates | undefined {
  return configuredPrice(configured, provider.id, model) ?? listedRates(provider.baseUrl, model);
}

/** Prices, and the factors for long requests where there are any. */
export interface ModelRates extends ModelPrice {
  /** A request with more input tokens than `above` costs this many times as much, including the tokens below. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number };
}

function configuredPrice(prices: PriceOptions['configured'], provider: string, model: string): ModelRates | undefined {
  const name = [`${provider}/${model}`, model].find((key) => Object.hasOwn(prices, key));
  return name === undefined ? undefined : prices[name];
}

function cost(usage: Usage, { input, cachedInput = input, cacheWrite = input, output, long }: ModelRates): number {
  const { inputTokens, cachedInputTokens, cacheWriteInputTokens, outputTokens } = usage;
  const isLong = long !== undefined && inputTokens > long.above;
  const fresh = Math.max(inputTokens - cachedInputTokens - cacheWriteInputTokens, 0);
  const inputCost = fresh * input + cachedInputTokens * cachedInput + cacheWriteInputTokens * cacheWrite;
  const millionths = inputCost * (isLong ? long.input : 1) + outputTokens * output * (isLong ? long.output : 1);
  // Rounds to a billionth of a dollar: further digits are noise of binary fractions.
  return Math.round(millionths * 1000) / 1e9;
}

/** Returns the rates of a model. A name may end in a date; any other ending names another model. */
function listedRates(baseUrl: string, model: string): ModelRates | undefined {
  const { hostname } = new URL(baseUrl);
  const name = model.toLowerCase().replace(/-(?:latest|\d{4}-\d{2}-\d{2}|\d{8})$/, '');
  return listedPrices()[hostname]?.find(([names]) => names.includes(name))?.[1];
}

type PriceRow = readonly [names: readonly string[], rates: ModelRates];

/** Returns the prices by server. docs/usage.md names the source of each figure. Unconfirmed figures are left out. */
function listedPrices(): Readonly<Record<string, readonly PriceRow[]>> {
  const above272k = { above: 272_000, input: 2, output: 1.5 };
  const above200k = { above: 200_000, input: 2, output: 2 };
  return {
    'api.openai.com': [
      [['gpt-6-astra'], { input: 10, cachedInput: 1, cacheWrite: 12.5, output: 50, long: above272k }],
      [['gpt-6-sol'], { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10, long: above272k }],
      [['gpt-6-luna'], { input: 0.1, cachedInput: 0.01, cacheWrite: 0.125, output: 0.5, long: above272k }],
      [['gpt-5.5'], { input: 5, cachedInput: 0.5, output: 30, long: above272k }],
      [['gpt-5.4'], { input: 2.5, cachedInput: 0.25, output: 15, long: above272k }],
      [['gpt-5.4-mini'], { input: 0.75, cachedInput: 0.075, output: 4.5 }],
      [['gpt-5.4-nano'], { input: 0.2, cachedInput: 0.02, output: 1.25 }],
      [['gpt-5.2', 'gpt-5.2-codex', 'gpt-5.3-codex'], { input: 1.75, cachedInput: 0.175, output: 14 }],
      [
        ['gpt-5', 'gpt-5-codex', 'gpt-5.1', 'gpt-5.1-codex', 'gpt-5.1-codex-max'],
        { input: 1.25, cachedInput: 0.125, output: 10 },
      ],
      [['gpt-5-mini'], { input: 0.25, cachedInput: 0.025, output: 2 }],
      [['gpt-5-nano'], { input: 0.05, cachedInput: 0.005, output: 0.4 }],
    ],
    'api.x.ai': [[['grok-4.5', 'grok-4.6', 'grok-4.7'], { input: 2, cachedInput: 0.5, output: 6, long: above200k }]],
    'api.moonshot.ai': [
      [['kimi-k3'], { input: 3, cachedInput: 0.3, output: 15 }],
      [['kimi-k2.7-code'], { input: 0.95, cachedInput: 0.19, output: 4 }],
    ],
    'api.z.ai': [
      [['glm-5.2'], { input: 1.4, cachedInput: 0.26, output: 4.4 }],
      [['glm-5'], { input: 1, cachedInput: 0.2, output: 3.2 }],
      [['glm-4.6', 'glm-4.7'], { input: 0.6, cachedInput: 0.11, output: 2.2 }],
    ],
  };
}
