import { isLoopback } from './loopback.ts';

/** Reports whether a request may come from a page of another site in a browser on this machine. */
export type IsForeign = (request: {
  readonly headers: { readonly host?: string | undefined; readonly origin?: string | undefined };
}) => boolean;

/**
 * Returns the check of one server. A page of another site can reach this address under a name of its own (`Host`) or
 * directly (`Origin`). Programs send this address as the host, and no origin.
 */
export function createPageCheck(): IsForeign {
  /** The last local address that was seen: clients of a gateway mostly use one and the same. */
  let local = '';
  const isLocal = (url: string): boolean => {
    if (url === local) return true;
    if (!URL.canParse(url) || !isLoopback(new URL(url).hostname)) return false;
    local = url;
    return true;
  };
  return ({ headers: { host, origin } }) => {
    if (host !== undefined && !isLocal(`http://${host}`)) return true;
    return origin !== undefined && !isLocal(origin);
  };
}
