/** What a model costs, in US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  /** Of input that the server had kept from before; as much as the rest where it is not given. */
  readonly cachedInput?: number;
  /** Of input that the server keeps for later; as much as the rest where it is not given. */
  readonly cacheWrite?: number;
  readonly output: number;
}
