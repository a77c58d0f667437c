import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import type { ClientWire, EncodeStreamOptions, StreamEncoder } from '../../base/wire.ts';
import type { EdgeWire } from './edge-wire.ts';

/** A protocol as pure functions, both ways. The agent uses the half of a client, the gateway all of it. */
export interface Wire extends ClientWire {
  /** A parsed body as a request. Throws `UserError` with a sentence for the client when it is not one. */
  decodeRequest(body: unknown): ModelRequest;
  /** Returns an encoder of one response. */
  encodeStream(options: EncodeStreamOptions): StreamEncoder;
  /** Returns a whole response for clients that do not stream: one body that says what the stream of the events says. */
  encodeBody(events: readonly ModelEvent[], options: EncodeStreamOptions): unknown;
  readonly edge: EdgeWire;
}
