import type { FoundProxy } from '../../base/find-proxy.ts';
import { connectDirectly, type TlsTrust } from './connect.ts';
import type { Way } from './way.ts';

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
