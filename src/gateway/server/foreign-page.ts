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

/** The last address that was one of this machine: clients of a gateway call it by the same one all the time. */
let local = '';

function isLocal(url: string): boolean {
  if (url === local) return true;
  if (!URL.canParse(url) || !isLoopback(new URL(url).hostname)) return false;
  local = url;
  return true;
}
