import type { ModelEvent } from '../../base/model.ts';

/**
 * Returns the event with an id of our own, where it names the response: ids of servers need not be unique, and clients of
 * another wire expect another look.
 */
export function withResponseId(event: ModelEvent, responseId: string): ModelEvent {
  if (event.type === 'text.delta' || !('responseId' in event)) return event;
  return { ...event, responseId };
}
