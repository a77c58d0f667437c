import type { Provider } from '../base/provider.ts';

/** Where requests for a model go. Comes from the configuration only, never from a client. */
export interface Target {
  readonly provider: Provider;
  /** What the model is called there. */
  readonly model: string;
  /** Its clients take only the first call of a response. */
  readonly singleCall?: boolean;
}

/** Which models there are and where they go. */
export interface Targets {
  /** Undefined: there is no such model here. */
  find(model: string): Target | undefined;
  /** Gets the requests for all names that have no entry. */
  readonly defaultProvider?: Provider | undefined;
  /** The names that have one, for the list of models. */
  readonly names: readonly string[];
}
