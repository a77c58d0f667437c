import type { ReplyWire } from '../reply-wire.ts';
import { chatReplyWire } from './chat.ts';
import { messagesReplyWire } from './messages.ts';
import { ollamaReplyWire } from './ollama.ts';
import { responsesReplyWire } from './responses.ts';

/** Wires that a scripted model speaks, selected by the path of a request. */
export const REPLY_WIRES = {
  responses: responsesReplyWire,
  chat: chatReplyWire,
  messages: messagesReplyWire,
  ollama: ollamaReplyWire,
} satisfies Record<string, ReplyWire>;

/** Name of a wire that a scripted model speaks. */
export type ReplyWireName = keyof typeof REPLY_WIRES;

/** Name of the default wire. */
export const STANDARD_WIRE_NAME: ReplyWireName = 'responses';

/** Wire of answers without a request. */
export const STANDARD_WIRE: ReplyWire = REPLY_WIRES[STANDARD_WIRE_NAME];
