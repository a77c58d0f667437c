import type { ReplyWire } from '../reply-wire.ts';
import { chatReplyWire } from './chat.ts';
import { responsesReplyWire } from './responses.ts';

/** Wires that a scripted model speaks, selected by the path of a request. */
export const REPLY_WIRES = {
  responses: responsesReplyWire,
  chat: chatReplyWire,
} satisfies Record<string, ReplyWire>;

/** Wire of answers without a request. */
export const STANDARD_WIRE: ReplyWire = REPLY_WIRES.responses;
