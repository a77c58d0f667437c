import type { Ids } from './ids.ts';
import type { RequestBody } from './recorded-request.ts';
import type { GatePart, PausePart, Reply } from './reply.ts';

/** How a protocol says a reply. */
export interface ReplyWire {
  /** The path below the base URL. */
  readonly path: string;
  /** The type of a streamed answer. */
  readonly contentType: string;
  /** A frame whose data is not JSON. */
  readonly brokenFrame: FrameStep;
  encode(reply: Reply, context: EncodeContext): readonly ReplyStep[];
}

export interface EncodeContext {
  readonly ids: Ids;
  /** The model as the request named it. */
  readonly model: string;
  /** What the request asked for, where an answer depends on it. */
  readonly body?: RequestBody;
}

/** Bytes of the body to send, or a wait. */
export type ReplyStep = FrameStep | PausePart | GatePart;

export interface FrameStep {
  readonly kind: 'frame';
  readonly bytes: Buffer;
}
