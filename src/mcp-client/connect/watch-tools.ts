import { setTimeout as delay } from 'node:timers/promises';
import { isModern, type Link } from './link.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Subscribes to changes of the tools of a server of 2026-07-28. Older servers send them unasked. The stream is opened
 * again when the server closes it; tools may have changed in between.
 */
export function watchTools(link: Link, onToolsChanged: () => void): void {
  if (isModern(link) && link.client.getServerCapabilities()?.tools?.listChanged === true) {
    void watch(link, onToolsChanged);
  }
}

async function watch({ client }: Link, onToolsChanged: () => void): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  for (let isFirst = true; client.transport !== undefined; isFirst = false) {
    const stream = await client.listen({ toolsListChanged: true }).catch(() => undefined);
    if (stream !== undefined) {
      pause = FIRST_PAUSE_MS;
      if (!isFirst) onToolsChanged();
      if ((await stream.closed) === 'local') return;
    }
    await delay(pause, undefined, { ref: false });
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}
