import type { Compat } from '../base/wire.ts';
import type { AdaptRules } from './adapt/adapt-rules.ts';
import type { Fields } from './request-fields.ts';

/** What a gateway needs of a wire besides the codec. */
export interface EdgeWire {
  /**
   * Returns the body of a request for a server of the same wire: edited, not encoded anew. Returns the very body where the
   * server takes it as it is; fields that are only added stand behind all others.
   */
  editRequest(body: Fields, options: EditOptions): Fields;
  /** Returns the body without reasoning that only the server that sealed it can open; the same body where it has none. */
  withoutSealed(body: Fields): Fields;
  /** How requests are changed for servers that refuse them as they are; absent where they are sent as they are. */
  readonly adapt?: AdaptRules;
}

export interface EditOptions {
  /** The name of the model at the server. */
  readonly model: string;
  readonly stream: boolean;
  readonly compat: Compat;
}
