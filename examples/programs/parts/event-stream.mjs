// Events of a thread as server-sent events, for browsers that come, go and come back.
import { randomUUID } from 'node:crypto';

/** Number of events that a browser may have missed before it has to load the items again. */
const KEPT = 1000;

/** @param {import('oxbow').Thread} thread */
export function createEventStream(thread) {
  // `seq` begins at 1 again when a thread is resumed, so the id of an event has the name of this stream too.
  const name = randomUUID().slice(0, 8);
  /** @type {import('oxbow').Event[]} */
  const kept = [];
  /** @type {Set<import('node:http').ServerResponse>} */
  const listeners = new Set();
  /** @param {import('oxbow').Event} event */
  const encode = (event) => `id: ${name}-${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;

  thread.subscribe((event) => {
    kept.push(event);
    if (kept.length > KEPT) kept.shift();
    for (const listener of listeners) listener.write(encode(event));
  });

  return {
    listeners,
    /**
     * Sends the events after the last one that the browser has, then those that come.
     *
     * @param {import('node:http').ServerResponse} response
     * @param {string} lastId The header Last-Event-ID, which an EventSource sends when it connects again.
     */
    attach(response, lastId) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      const [stream, seq] = lastId.split('-');
      const hasAll = stream === name && Number(seq) + 1 >= (kept[0]?.seq ?? 1);
      // The browser then loads the items, as it does at its first visit.
      if (!hasAll) response.write('event: reset\ndata: {}\n\n');
      else for (const event of kept) if (event.seq > Number(seq)) response.write(encode(event));
      listeners.add(response);
      response.once('close', () => listeners.delete(response));
    },
  };
}
