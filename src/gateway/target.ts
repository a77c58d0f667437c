import type { ModelEntry } from '../base/model-entry.ts';
import type { Provider } from '../base/provider.ts';

/** The destination of requests for a model. It comes from the configuration, never from a client. */
export interface Target {
  readonly provider: Provider;
  /** The provider's name of the model. */
  readonly model: string;
  /** Whether clients of this model accept only the first call of a response. */
  readonly singleCall?: boolean;
  /** The user's facts about the model. */
  readonly facts?: ModelEntry | undefined;
}

/** The models of a gateway and their destinations. */
export interface Targets {
  /** Returns undefined when there is no such model. */
  find(model: string): Target | undefined;
  /** Gets the requests for all names without an entry. */
  readonly defaultProvider?: Provider | undefined;
  /** Reports whether a name is one that only clients know, and that no model stands for. Absent: there are none. */
  isStray?(model: string): boolean;
  /** The names with an entry, for the list of models. */
  readonly names: readonly string[];
}
