import type { ModelRequest } from '../base/model.ts';
import type { Ids } from './ids.ts';
import type { RequestBody } from './recorded-request.ts';
import type { GatePart, PausePart, Reply } from './reply.ts';

/** Encoder of replies and decoder of requests for one protocol. */
export interface ReplyWire {
  /** Path below the base URL. */
  readonly path: string;
  /** Content type of a streamed answer. */
  readonly contentType: string;
  /** Frame whose data is not JSON. */
  readonly brokenFrame: FrameStep;
  encode(reply: Reply, context: EncodeContext): readonly ReplyStep[];
  /** Decodes a parsed body. Throws `UserError` if the body is not a request. */
  decodeRequest(body: unknown): ModelRequest;
}

export interface EncodeContext {
  readonly ids: Ids;
  /** Model of the request. */
  readonly model: string;
  /** Body of the request, for answers that depend on it. */
  readonly body?: RequestBody;
}

/** Bytes of the body, or a wait. */
export type ReplyStep = FrameStep | PausePart | GatePart;

export interface FrameStep {
  readonly kind: 'frame';
  readonly bytes: Buffer;
}
