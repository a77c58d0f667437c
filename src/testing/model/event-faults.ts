import type { StreamedEvent } from '../../base/model.ts';

const ENDS: ReadonlySet<StreamedEvent['type']> = new Set(['completed', 'incomplete', 'failed']);

/** Returns a sentence for each event of a response that breaks the order promised by `ModelEvent`. */
export function eventFaults(events: readonly StreamedEvent[]): string[] {
  const open = new Set<string>();
  const faults: string[] = [];
  for (const [index, event] of events.entries()) {
    const fault = (what: string) => faults.push(`event ${index + 1}, ${event.type}: ${what}`);
    switch (event.type) {
      case 'created':
        if (index > 0) fault('is not the first');
        break;
      case 'item.started':
        if (open.has(event.item.id)) fault(`${event.item.id} is open already`);
        open.add(event.item.id);
        break;
      case 'text.delta':
      case 'reasoning.delta':
      case 'reasoning.section':
      case 'input.delta':
        if (!open.has(event.itemId)) fault(`${event.itemId} is not open`);
        break;
      case 'item.done':
        if (typeof event.item.id !== 'string' || !open.delete(event.item.id)) fault(`${event.item.id} is not open`);
        break;
    }
    if (ENDS.has(event.type) && index < events.length - 1) fault('is not the last');
  }
  const last = events.at(-1);
  if (!last || !ENDS.has(last.type)) faults.push('the response has no end');
  if (last?.type === 'completed' && open.size > 0) faults.push(`items are still open: ${[...open].join(', ')}`);
  return faults;
}
