import type { ReplyWire } from '../reply-wire.ts';
import { responsesReplyWire } from './responses.ts';

/** The protocols that a scripted model speaks. A request's path says which one it wants. */
export const REPLY_WIRES = {
  responses: responsesReplyWire,
} satisfies Record<string, ReplyWire>;
