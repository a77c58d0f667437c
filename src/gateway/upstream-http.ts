import { readNetwork } from '../config/network.ts';
import { createHttp } from '../model/http/create-http.ts';
import type { HttpSender } from '../model/http.ts';
import { offlineHttp } from '../model/offline-http.ts';
import { tapHttp } from '../model/tap-http.ts';
import { createConnectionLimit } from '../node-internals/connection-limit.ts';
import type { GatewayOptions } from './gateway.ts';

/** Sends requests to the servers behind a gateway. */
interface UpstreamHttp {
  readonly http: HttpSender;
  /** Ends the connections of the gateway's own client. */
  close(): Promise<void>;
}

export function openUpstreamHttp(options: Pick<GatewayOptions, 'env' | 'http' | 'offline' | 'tap'>): UpstreamHttp {
  // Clients need descriptors too. At the limit requests wait. Without it they would fail when no descriptor is left.
  const own = createHttp({ mayOpen: createConnectionLimit(), ...readNetwork(options.env) });
  const { http: given = own, offline, tap } = options;
  const http = offline ? offlineHttp(given) : given;
  return { http: tap === undefined ? http : tapHttp(http, tap), close: own.close };
}
