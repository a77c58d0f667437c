import { isRecord } from '../../base/json-schema.ts';
import { editField } from '../edit-fields.ts';
import type { Fields } from '../request-fields.ts';

/** The wires whose requests can be adapted. */
export type AdaptWire = 'chat' | 'responses';

/** A message of either wire. */
export type Message = Fields & { readonly role: string };

const HISTORY: Readonly<Record<AdaptWire, string>> = { chat: 'messages', responses: 'input' };

/** The messages or items of a request; none where it has no list of them. */
export function historyOf(wire: AdaptWire, body: Fields): readonly unknown[] {
  const history = body[HISTORY[wire]];
  return Array.isArray(history) ? history : [];
}

/** The request with its messages or items edited; the same request where they stay the same list. */
export function editHistory(
  wire: AdaptWire,
  body: Fields,
  edit: (history: readonly unknown[]) => readonly unknown[],
): Fields {
  return editField(body, HISTORY[wire], (history) => (Array.isArray(history) ? edit(history) : history));
}

/** The entry, if it is a message. */
export function messageOf(wire: AdaptWire, entry: unknown): Message | undefined {
  if (!isRecord(entry) || typeof entry.role !== 'string') return undefined;
  // Items leave their type out only where they are messages.
  const isMessage = wire === 'chat' || entry.type === undefined || entry.type === 'message';
  return isMessage ? (entry as Message) : undefined;
}

export function isSystem(message: Message | undefined): message is Message {
  return message?.role === 'system' || message?.role === 'developer';
}

/** The calls of a chat message. */
export function callsOf(message: Fields): readonly unknown[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls : [];
}
