import type { ReplyWire } from '../reply-wire.ts';
import { chatReplyWire } from './chat.ts';
import { responsesReplyWire } from './responses.ts';

/** The wires that a scripted model speaks. The path of a request says which one it wants. */
export const REPLY_WIRES = {
  responses: responsesReplyWire,
  chat: chatReplyWire,
} satisfies Record<string, ReplyWire>;

/** The wire of answers that no request asked for. */
export const STANDARD_WIRE: ReplyWire = REPLY_WIRES.responses;
