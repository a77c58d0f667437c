/** Price of a model, in US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  /** Price of input that the server had in its cache. Defaults to the price of input. */
  readonly cachedInput?: number;
  /** Price of input that the server adds to its cache. Defaults to the price of input. */
  readonly cacheWrite?: number;
  readonly output: number;
}
