import type { ReplyWire } from '../reply-wire.ts';
import { chatReplyWire } from './chat.ts';
import { responsesReplyWire } from './responses.ts';

/** The protocols that a scripted model speaks. A request's path says which one it wants. */
export const REPLY_WIRES = {
  responses: responsesReplyWire,
  chat: chatReplyWire,
} satisfies Record<string, ReplyWire>;
