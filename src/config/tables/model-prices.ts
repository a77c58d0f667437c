import { UserError } from '../../base/errors.ts';
import type { ModelPrice } from '../../base/price.ts';
import { keyText } from '../setting/key-text.ts';
import type { Settings } from '../setting/settings-reader.ts';

/** The `[model_prices."NAME"]` tables. A name is that of a model, or of a provider and a model with a slash between. */
export function readModelPrices(settings: Settings): Record<string, ModelPrice> {
  return Object.fromEntries(settings.keys('model_prices').map((name) => [name, readPrice(settings, name)]));
}

function readPrice(settings: Settings, name: string): ModelPrice {
  const number = (key: string) => settings.number('model_prices', name, key);
  const required = (key: string) => {
    const value = number(key);
    if (value !== undefined) return value;
    const table = `[${keyText(['model_prices', name])}]`;
    throw new UserError(
      'invalid_config',
      `${table} has no ${key}: the price of a model needs input and output, in US dollars for a million tokens.`,
    );
  };
  const cachedInput = number('cached_input');
  const cacheWrite = number('cache_write');
  return {
    input: required('input'),
    output: required('output'),
    ...(cachedInput === undefined ? {} : { cachedInput }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}
