import type { ModelEvent } from '../../base/model.ts';

/**
 * Returns the event with our own id of the response, where it has one. Ids of servers need not be unique, and clients
 * of another wire expect another form.
 */
export function withResponseId(event: ModelEvent, responseId: string): ModelEvent {
  if (event.type === 'text.delta' || !('responseId' in event)) return event;
  return { ...event, responseId };
}
