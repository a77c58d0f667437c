import type { ModelEvent } from '../base/model.ts';
import type { WireName } from '../base/wire.ts';

/** An id of our own for a response: those of servers need not be unique, and clients of the other wire expect another look. */
export function createResponseId(wire: WireName, uuid: string): string {
  return `${wire === 'responses' ? 'resp_' : 'chatcmpl-'}${uuid.replaceAll('-', '')}`;
}

/** The event with that id, where it names the response. */
export function withResponseId(event: ModelEvent, responseId: string): ModelEvent {
  if (event.type === 'text.delta' || !('responseId' in event)) return event;
  return { ...event, responseId };
}
