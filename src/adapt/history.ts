import { editField } from '../wire/fields/edit-fields.ts';
import type { Fields } from '../wire/fields/request-fields.ts';
import type { AdaptRules, Message } from './adapt-rules.ts';

/** Returns the messages or items of a request; empty if it has no list of them. */
export function historyOf({ history: name }: AdaptRules, body: Fields): readonly unknown[] {
  const history = body[name];
  return Array.isArray(history) ? history : [];
}

/** Returns the request with its messages or items edited; the same request if the list does not change. */
export function editHistory(
  { history: name }: AdaptRules,
  body: Fields,
  edit: (history: readonly unknown[]) => readonly unknown[],
): Fields {
  return editField(body, name, (history) => (Array.isArray(history) ? edit(history) : history));
}

export function isSystem(message: Message | undefined): message is Message {
  return message?.role === 'system' || message?.role === 'developer';
}
