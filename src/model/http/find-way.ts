import type { FoundProxy } from '../../base/find-proxy.ts';
import { type Connect, connectDirectly, type TlsTrust } from './connect.ts';

/** A way to a server. */
export interface Way {
  readonly connect: Connect;
  /** A proxy that reads the requests and sends them on. Absent where connections lead to the server itself. */
  readonly relay?: Relay;
}

/** A proxy for requests that are not encrypted. */
export interface Relay {
  /** Returns the head of a request in the form for the proxy. */
  head(head: string): string;
  /** Returns the fault if a status is the proxy's own refusal. */
  refusal(status: number, challenge: string | undefined): Error | undefined;
}

export interface WayOptions extends TlsTrust {
  /** Returns the proxy to an address. */
  readonly proxy?: ((url: URL) => FoundProxy | undefined) | undefined;
}

/** Finds the way to a server. The code for proxies is loaded only when a proxy is used. */
export async function findWay(url: URL, options: WayOptions): Promise<Way> {
  const proxy = options.proxy?.(url);
  if (proxy === undefined) return { connect: await connectDirectly(url, options) };
  const { wayThroughProxy } = await import('./through-proxy.ts');
  return wayThroughProxy(url, proxy, options);
}
