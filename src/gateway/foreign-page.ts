import type { IncomingMessage } from 'node:http';
import { isLoopback } from './loopback.ts';

/**
 * Whether a request may come from a page of somebody else in a browser on this machine: such a page can reach this
 * address by its own name (`Host`) or directly (`Origin`). Programs send this address as the host and no origin.
 */
export function isFromForeignPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { host, origin } = headers;
  if (host !== undefined && !isLocal(`http://${host}`)) return true;
  return origin !== undefined && !isLocal(origin);
}

function isLocal(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
