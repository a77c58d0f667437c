import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import type { ClientWire, EncodeStreamOptions, StreamEncoder } from '../../base/wire.ts';
import type { EdgeWire } from './edge-wire.ts';

/** A protocol as pure functions, in both directions. The agent uses the client half, the gateway uses all of it. */
export interface Wire extends ClientWire {
  /** Decodes a parsed body. Throws `UserError` with a sentence for the client if the body is not a request. */
  decodeRequest(body: unknown): ModelRequest;
  /** Returns an encoder of one response. */
  encodeStream(options: EncodeStreamOptions): StreamEncoder;
  /** Encodes a whole response for clients that do not stream. The body says the same as the stream of these events. */
  encodeBody(events: readonly ModelEvent[], options: EncodeStreamOptions): unknown;
  readonly edge: EdgeWire;
  /**
   * Forms of the protocol with other requests and answers, on paths and routes of their own. They have the name of the
   * wire. A server of the wire gets a request in the form in which it came.
   */
  readonly forms?: readonly Wire[];
}
