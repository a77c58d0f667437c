import { type Config, type LoadOptions, loadConfig } from '../config/load-config.ts';
import { realWorld } from '../config/real-world.ts';
import { type ConfiguredGateway, configuredGateway } from './configured-gateway.ts';
import type { ExchangeReport } from './exchange/exchange-report.ts';
import type { Upstream } from './load-settings.ts';

export type { ConfiguredGateway, ExchangeReport, LoadOptions, Upstream };

export interface CreateGatewayOptions extends LoadOptions {
  /** A server that gets every request. Without it the configuration names the servers. */
  readonly upstream?: Upstream;
  /** Called once for each exchange, when it is over. */
  readonly onReport?: (report: ExchangeReport) => void;
}

export interface EmbeddedGateway extends Omit<ConfiguredGateway, 'reload' | 'isOpen'> {
  /** Reads the configuration again, for exchanges that begin from now on. */
  reload(options?: LoadOptions): void;
}

/**
 * Returns a gateway for a server of your own: `handle` for `node:http`, `fetch` for servers that use `Request` and
 * `Response`. The gateway itself does not listen. Throws `UserError` when the configuration is invalid.
 */
export function createGateway({ upstream, onReport, ...options }: CreateGatewayOptions = {}): EmbeddedGateway {
  const load = (from: LoadOptions): Config => loadConfig(from);
  const {
    reload,
    isOpen: _,
    ...gateway
  } = configuredGateway({
    config: load(options),
    upstream,
    world: realWorld(),
    onReport: onReport ?? (() => {}),
  });
  return { ...gateway, reload: (next = options) => reload(load(next)) };
}
