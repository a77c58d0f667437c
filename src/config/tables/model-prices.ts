import { UserError } from '../../base/errors.ts';
import type { ModelPrice } from '../../base/price.ts';
import { keyText } from '../setting/key-text.ts';
import { COUNT } from '../setting/kinds.ts';
import { readGiven, setting } from '../setting/setting.ts';
import type { SettingsReader } from '../setting/settings-reader.ts';

export const PRICE_SETTINGS = {
  /**
   * Price of the input of a model. The name is that of a model, or `PROVIDER/MODEL`.
   * @default what is [built in](usage.md#prices)
   */
  input: setting('model_prices.*.input', COUNT),
  /**
   * Price of input that the server had stored.
   * @default the price of `input`
   */
  cachedInput: setting('model_prices.*.cached_input', COUNT),
  /**
   * Price of input that the server stores for later.
   * @default the price of `input`
   */
  cacheWrite: setting('model_prices.*.cache_write', COUNT),
  /** Price of the output. */
  output: setting('model_prices.*.output', COUNT),
};

/** Prices by the name of a model or `PROVIDER/MODEL`. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** Reads the `[model_prices."NAME"]` tables. */
export function readModelPrices(reader: SettingsReader): ModelPrices {
  return Object.fromEntries(reader.keys(['model_prices']).map((name) => [name, readPrice(reader, name)]));
}

function readPrice(reader: SettingsReader, name: string): ModelPrice {
  const { input, output, ...more } = readGiven(PRICE_SETTINGS, reader, name);
  if (input === undefined) throw missingPrice(name, 'input');
  if (output === undefined) throw missingPrice(name, 'output');
  return { input, output, ...more };
}

function missingPrice(name: string, key: string): UserError {
  const table = `[${keyText(['model_prices', name])}]`;
  return new UserError(
    'invalid_config',
    `${table} has no ${key}: the price of a model needs input and output, in US dollars for a million tokens.`,
  );
}
